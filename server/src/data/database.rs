//! The database in a data folder.
//!
//! The database commits every transaction of the store to the disk before the server responds.

use super::{Loaded, LoadedObject, Record};
use k8s_flowcontrol_types::Release;
use redb::{Database, DatabaseError, ReadableTable, TableDefinition, TableError};
use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};

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
    database: Database,
    folder: PathBuf,
}

/// The error of a data folder.
#[derive(Debug)]
pub(crate) struct DataError {
    folder: PathBuf,
    cause: Cause,
}

#[derive(Debug)]
enum Cause {
    InUse,
    Newer(String),
    Failed(Box<dyn Error + Send + Sync>),
}

impl Data {
    /// Opens a folder, which is created if it does not exist, and reads it.
    ///
    /// # Errors
    /// Another server uses the folder, a newer version has written it, or it cannot be read or written.
    pub(crate) fn open(folder: &Path) -> Result<(Self, Loaded), DataError> {
        let fail = |cause| DataError {
            folder: folder.to_owned(),
            cause,
        };
        let database = create(folder).map_err(fail)?;
        let data = Self {
            database,
            folder: folder.to_owned(),
        };
        let loaded = data.load().map_err(fail)?;
        Ok((data, loaded))
    }

    /// Writes one transaction to the disk.
    ///
    /// # Errors
    /// The disk is full, for instance. Nothing is written then.
    pub(crate) fn commit(
        &self,
        release: Release,
        revision: u64,
        records: &[Record<'_>],
    ) -> Result<(), DataError> {
        self.try_commit(release, revision, records)
            .map_err(|cause| DataError {
                folder: self.folder.clone(),
                cause,
            })
    }

    fn try_commit(
        &self,
        release: Release,
        revision: u64,
        records: &[Record<'_>],
    ) -> Result<(), Cause> {
        let release = release.to_string();
        // Committed with the default durability: on the disk when `commit` returns.
        let transaction = self.database.begin_write()?;
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

    fn load(&self) -> Result<Loaded, Cause> {
        let transaction = self.database.begin_read()?;
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
}

fn create(folder: &Path) -> Result<Database, Cause> {
    std::fs::create_dir_all(folder)?;
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

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "data folder {}: ", self.folder.display())?;
        match &self.cause {
            Cause::InUse => {
                f.write_str("another server uses it; stop that server, or choose another folder")
            }
            Cause::Newer(found) => write!(
                f,
                "a newer version of this program has written it ({found}); use that version, or choose another folder"
            ),
            Cause::Failed(error) => error.fmt(f),
        }
    }
}

impl Error for DataError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.cause {
            Cause::Failed(error) => Some(&**error),
            Cause::InUse | Cause::Newer(_) => None,
        }
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for Cause {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}
