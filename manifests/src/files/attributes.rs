//! Extended attributes of a file, access control lists among them: its new text and its backup keep them.

use std::fs::File;
use std::io;
use std::path::Path;

/// Gives a copy the mode and the extended attributes of a file, so that the same users may read it.
/// Errors: the name of an attribute that cannot be kept. The copy must not take the place of the file then.
pub(super) fn keep_access(file: &Path, copy: &File) -> io::Result<()> {
    copy.set_permissions(std::fs::symlink_metadata(file)?.permissions())?;
    // After the mode: with an access control list, the bits of the group are only its mask.
    keep_attributes(file, copy)
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn keep_attributes(file: &Path, copy: &File) -> io::Result<()> {
    use rustix::fs::{
        XattrFlags, fgetxattr, flistxattr, fremovexattr, fsetxattr, lgetxattr, llistxattr,
    };
    use rustix::io::Errno;

    /// Linux has no longer value or list.
    const MOST: usize = 64 << 10;

    type Read<'a> = &'a dyn Fn(&mut [u8]) -> rustix::io::Result<usize>;
    let mut buffer = vec![0; MOST];
    let mut read = |read: Read<'_>| {
        let length = read(&mut buffer)?;
        Ok::<_, Errno>(buffer[..length].to_vec())
    };
    let mut names = |list: Read<'_>| -> io::Result<Vec<Vec<u8>>> {
        let list = match read(list) {
            Err(Errno::NOTSUP | Errno::NOSYS) => Vec::new(),
            list => list?,
        };
        let names = list
            .split(|byte| *byte == 0)
            .filter(|name| !name.is_empty());
        Ok(names.map(<[u8]>::to_vec).collect())
    };
    let old = names(&|buffer| llistxattr(file, buffer))?;
    let new = names(&|buffer| flistxattr(copy, buffer))?;
    for name in old.iter().filter(|name| !is_made(name)) {
        let value = read(&|buffer| lgetxattr(file, &name[..], buffer));
        let is_equal = value.is_ok() && value == read(&|buffer| fgetxattr(copy, &name[..], buffer));
        let kept = match is_equal {
            true => Ok(()),
            false => {
                value.and_then(|value| fsetxattr(copy, &name[..], &value, XattrFlags::empty()))
            }
        };
        kept.map_err(|error| lost(name, error.into()))?;
    }
    // A folder can give its own list to new files.
    for name in new
        .iter()
        .filter(|name| !old.contains(name) && !is_made(name))
    {
        fremovexattr(copy, &name[..]).map_err(|error| lost(name, error.into()))?;
    }
    Ok(())
}

/// Whether the system gives every file an attribute by its place or content.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn is_made(name: &[u8]) -> bool {
    matches!(
        name,
        b"security.selinux" | b"security.ima" | b"security.evm" | b"com.apple.provenance"
    )
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn lost(name: &[u8], error: io::Error) -> io::Error {
    let name = String::from_utf8_lossy(name);
    let message = format!("cannot keep the extended attribute {name} of the file: {error}");
    io::Error::new(error.kind(), message)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn keep_attributes(_: &Path, _: &File) -> io::Result<()> {
    Ok(())
}
