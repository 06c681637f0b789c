//! The database in a data folder.
//!
//! The database commits every transaction of the store to the disk before the server responds.

use super::{Loaded, LoadedObject, Record};
use crate::locks::lock;
use k8s_flowcontrol_types::Release;
use redb::{Database, DatabaseError, ReadableTable, StorageError, TableDefinition, TableError};
use std::error::Error;
use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

const FILE: &str = "objects.redb";
/// The format of the tables. Increase it with every change that older versions of this crate cannot read.
const FORMAT: u64 = 1;
/// The memory for pages of the database. All objects are in memory anyway.
const CACHE: usize = 8 << 20;

/// [`FORMAT`], and the last resource version.
const NUMBERS: TableDefinition<'_, &str, u64> = TableDefinition::new("numbers");
const FORMAT_KEY: &str = "format";
const REVISION_KEY: &str = "revision";
/// By resource and name: the release that wrote the object, and the object in hub form.
const OBJECTS: TableDefinition<'_, (&str, &str), (&str, &[u8])> = TableDefinition::new("objects");

/// The open database of a folder.
#[derive(Debug)]
pub(crate) struct Data {
    /// `None` after a failed write: with this library, all later writes fail until the file is opened again.
    database: Mutex<Option<Database>>,
    folder: PathBuf,
}

#[derive(Debug)]
pub(crate) struct DataError {
    folder: PathBuf,
    cause: Cause,
}

#[derive(Debug)]
enum Cause {
    InUse,
    /// The file is shorter than it was written, or its content is damaged.
    Damaged,
    Newer(String),
    /// The folder or its file cannot be opened.
    Unusable(Box<dyn Error + Send + Sync>),
    NotWritten(Box<Cause>),
    Failed(Box<dyn Error + Send + Sync>),
}

impl Data {
    /// Opens a folder, which is created if it does not exist, and reads it.
    /// Errors: another server uses the folder, a newer version has written it, or it cannot be read or written.
    pub(crate) fn open(folder: &Path) -> Result<(Self, Loaded), DataError> {
        let fail = |cause| DataError {
            folder: folder.to_owned(),
            cause: match cause {
                Cause::Failed(error) => Cause::Unusable(error),
                cause => cause,
            },
        };
        let (database, loaded) = undamaged(|| {
            let mut database = create(folder)?;
            // Without this, the library reads changed bytes as they are. A repair at this point would give up writes.
            if !database.check_integrity()? {
                return Err(Cause::Damaged);
            }
            let loaded = load(&database)?;
            Ok((database, loaded))
        })
        .map_err(fail)?;
        let data = Self {
            database: Mutex::new(Some(database)),
            folder: folder.to_owned(),
        };
        Ok((data, loaded))
    }

    /// Writes one transaction to the disk.
    /// Errors: the disk is full, for instance. Nothing is written then.
    pub(crate) fn commit(
        &self,
        release: Release,
        revision: u64,
        records: &[Record<'_>],
    ) -> Result<(), DataError> {
        let mut database = lock(&self.database);
        let written = self
            .reopened(&mut database)
            .and_then(|database| try_commit(database, release, revision, records));
        written.map_err(|cause| {
            *database = None;
            DataError {
                folder: self.folder.clone(),
                cause: Cause::NotWritten(Box::new(cause)),
            }
        })
    }

    /// Whether the folder can be written, as far as is known. After a failed write the file is opened again.
    pub(crate) fn is_ready(&self) -> bool {
        let mut database = lock(&self.database);
        self.reopened(&mut database).is_ok()
    }

    fn reopened<'a>(&self, database: &'a mut Option<Database>) -> Result<&'a Database, Cause> {
        match database {
            Some(database) => Ok(database),
            closed => {
                let database = undamaged(|| create(&self.folder))?;
                // The file can be opened on a disk that is still full.
                let transaction = database.begin_write()?;
                transaction
                    .open_table(NUMBERS)?
                    .insert(FORMAT_KEY, FORMAT)?;
                transaction.commit()?;
                Ok(closed.insert(database))
            }
        }
    }
}

fn try_commit(
    database: &Database,
    release: Release,
    revision: u64,
    records: &[Record<'_>],
) -> Result<(), Cause> {
    let release = release.to_string();
    // Committed with the default durability: on the disk when `commit` returns.
    let transaction = database.begin_write()?;
    {
        let mut objects = transaction.open_table(OBJECTS)?;
        for record in records {
            let key = (record.resource.as_str(), record.name);
            match record.object {
                Some(object) => {
                    let text = serde_json::to_vec(object)?;
                    objects.insert(key, (release.as_str(), text.as_slice()))?;
                }
                None => {
                    objects.remove(key)?;
                }
            }
        }
        let mut numbers = transaction.open_table(NUMBERS)?;
        numbers.insert(FORMAT_KEY, FORMAT)?;
        numbers.insert(REVISION_KEY, revision)?;
    }
    Ok(transaction.commit()?)
}

fn load(database: &Database) -> Result<Loaded, Cause> {
    let transaction = database.begin_read()?;
    let numbers = match transaction.open_table(NUMBERS) {
        Err(TableError::TableDoesNotExist(_)) => return Ok(Loaded::default()),
        numbers => numbers?,
    };
    let number = |name: &str| -> Result<_, Cause> {
        let number = numbers.get(name)?;
        Ok(number.map(|number| number.value()))
    };
    match number(FORMAT_KEY)? {
        Some(FORMAT) => {}
        format => return Err(Cause::Newer(format!("format {}", format.unwrap_or(0)))),
    }
    let mut objects = Vec::new();
    for entry in transaction.open_table(OBJECTS)?.iter()? {
        let (key, value) = entry?;
        let (resource, name) = key.value();
        let (release, text) = value.value();
        objects.push(LoadedObject {
            resource: resource.to_owned(),
            name: name.to_owned(),
            release: release
                .parse()
                .map_err(|_| Cause::Newer(format!("Kubernetes {release}")))?,
            object: serde_json::from_slice(text)?,
        });
    }
    Ok(Loaded {
        revision: number(REVISION_KEY)?,
        objects,
    })
}

/// Reads a file that may be damaged, on which the library panics in places.
fn undamaged<T>(read: impl FnOnce() -> Result<T, Cause>) -> Result<T, Cause> {
    // Nothing of what `read` has begun is used after a panic.
    std::panic::catch_unwind(AssertUnwindSafe(read)).unwrap_or(Err(Cause::Damaged))
}

/// The places of the sizes in the header of the file, and of its pages: see the design document of redb.
mod layout {
    pub(super) const MAGIC: &[u8] = b"redb\x1A\x0A\xA9\x0D\x0A";
    pub(super) const PAGE_SIZE: usize = 12;
    pub(super) const REGION_HEADER_PAGES: usize = 16;
    pub(super) const REGION_DATA_PAGES: usize = 20;
    pub(super) const FULL_REGIONS: usize = 24;
    pub(super) const TRAILING_DATA_PAGES: usize = 28;
    pub(super) const LENGTH: usize = 32;
}

/// Checks that a file is as long as its header says. The library would end the program.
fn check_length(file: &Path) -> Result<(), Cause> {
    let mut header = Vec::new();
    let Ok(opened) = File::open(file) else {
        return Ok(()); // A new folder.
    };
    let length = opened.metadata()?.len();
    opened
        .take(layout::LENGTH as u64)
        .read_to_end(&mut header)?;
    if length == 0 || !header.starts_with(layout::MAGIC) {
        return Ok(()); // A new file, or one that is none of the library's, which it says itself.
    }
    let number = |at: usize| {
        let bytes = header.get(at..at + 4)?;
        Some(u64::from(u32::from_le_bytes(bytes.try_into().ok()?)))
    };
    let expected = || {
        let header = number(layout::REGION_HEADER_PAGES)?;
        let full = header.checked_add(number(layout::REGION_DATA_PAGES)?)?;
        let mut pages = number(layout::FULL_REGIONS)?
            .checked_mul(full)?
            .checked_add(1)?;
        pages += match number(layout::TRAILING_DATA_PAGES)? {
            0 => 0,
            trailing => header + trailing,
        };
        number(layout::PAGE_SIZE)?.checked_mul(pages)
    };
    match expected() {
        Some(expected) if expected <= length => Ok(()),
        _ => Err(Cause::Damaged),
    }
}

fn create(folder: &Path) -> Result<Database, Cause> {
    std::fs::create_dir_all(folder)?;
    check_length(&folder.join(FILE))?;
    let database = Database::builder()
        .set_cache_size(CACHE)
        // Newer versions of the library read no other.
        .create_with_file_format_v3(true)
        .create(folder.join(FILE));
    match database {
        Err(DatabaseError::DatabaseAlreadyOpen) => Err(Cause::InUse),
        database => Ok(database?),
    }
}

/// What to do about a folder that cannot be opened.
fn remedy(error: &(dyn Error + 'static)) -> &'static str {
    let io = match error.downcast_ref() {
        Some(DatabaseError::Storage(StorageError::Io(io))) => Some(io),
        _ => error.downcast_ref::<io::Error>(),
    };
    match io.map(io::Error::kind) {
        Some(ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) => {
            "make the folder and its file writable, or choose another folder"
        }
        Some(ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge) => {
            "make room, or choose another folder"
        }
        Some(ErrorKind::NotADirectory | ErrorKind::AlreadyExists) => "name a folder",
        _ => "restore the folder from a backup, or choose another folder",
    }
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "data folder {}: {}", self.folder.display(), self.cause)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InUse => {
                f.write_str("another server uses it; stop that server, or choose another folder")
            }
            Self::Newer(found) => write!(
                f,
                "a newer version of this program has written it ({found}); use that version, or choose another folder"
            ),
            Self::Damaged => write!(
                f,
                "{FILE} is damaged; restore it from a backup, or remove it to start without objects"
            ),
            Self::NotWritten(cause) => write!(
                f,
                "{cause}; nothing was written: make room or repair the folder, and send the request again"
            ),
            Self::Unusable(error) => write!(f, "{error}; {}", remedy(&**error)),
            Self::Failed(error) => error.fmt(f),
        }
    }
}

impl Error for DataError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.cause {
            Cause::Failed(error) | Cause::Unusable(error) => Some(&**error),
            Cause::InUse | Cause::Damaged | Cause::NotWritten(_) | Cause::Newer(_) => None,
        }
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for Cause {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}
