//! `traffic --parquet`: one row for each request, in a file of Apache Parquet.

mod buffer;
mod row;

use crate::failure::Failure;
use crate::output::{OutputFile, unwritable};
use buffer::Buffer;
use k8s_flowcontrol_analysis::audit::Event;
use k8s_flowcontrol_analysis::redact::Redactor;
use k8s_flowcontrol_analysis::traffic::Sample;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use row::{FIELDS, Kind};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A row group is written, and its memory reused, when it has this many rows or bytes.
const ROWS: usize = 1 << 16;
const BYTES: usize = 64 << 20;

/// Writes rows to a file.
pub(super) struct Rows {
    path: PathBuf,
    writer: SerializedFileWriter<BufWriter<OutputFile>>,
    buffers: Vec<Buffer>,
    rows: usize,
    bytes: usize,
}

impl Rows {
    pub(super) fn create(path: &Path) -> Result<Self, Failure> {
        let unwritable = |error: &dyn std::fmt::Display| unwritable(path, error);
        let file = OutputFile::create(path)?;
        let schema = parse_message_type(&schema()).map_err(|error| unwritable(&error))?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(concat!("kubectl-flowcontrol ", env!("CARGO_PKG_VERSION")).to_owned());
        let properties = Arc::new(properties.build());
        let writer = SerializedFileWriter::new(BufWriter::new(file), Arc::new(schema), properties)
            .map_err(|error| unwritable(&error))?;
        Ok(Self {
            path: path.to_owned(),
            writer,
            buffers: FIELDS.iter().map(|(_, kind)| Buffer::new(*kind)).collect(),
            rows: 0,
            bytes: 0,
        })
    }

    pub(super) fn add(
        &mut self,
        event: &Event<'_>,
        sample: &Sample,
        redactor: &Redactor,
    ) -> Result<(), Failure> {
        let values = row::values(event, sample, redactor);
        for (buffer, value) in self.buffers.iter_mut().zip(values) {
            self.bytes += buffer.push(value);
        }
        self.rows += 1;
        match self.rows >= ROWS || self.bytes >= BYTES {
            true => self.flush(),
            false => Ok(()),
        }
    }

    /// Writes the rest of the rows and the end of the file.
    pub(super) fn finish(mut self) -> Result<(), Failure> {
        if self.rows > 0 {
            self.flush()?;
        }
        let unwritable = |error: &dyn std::fmt::Display| unwritable(&self.path, error);
        let file = self
            .writer
            .into_inner()
            .map_err(|error| unwritable(&error))?;
        let file = file.into_inner().map_err(|error| unwritable(&error))?;
        file.finish()
    }

    fn flush(&mut self) -> Result<(), Failure> {
        (self.rows, self.bytes) = (0, 0);
        let written = write_group(&mut self.writer, &mut self.buffers);
        written.map_err(|error| unwritable(&self.path, &error))
    }
}

fn write_group(
    writer: &mut SerializedFileWriter<BufWriter<OutputFile>>,
    buffers: &mut [Buffer],
) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    for buffer in buffers {
        let Some(mut column) = group.next_column()? else {
            return Err(ParquetError::General("too few columns".to_owned()));
        };
        buffer.write(&mut column)?;
        column.close()?;
    }
    group.close()?;
    Ok(())
}

/// The schema in the notation of Parquet.
fn schema() -> String {
    let fields = FIELDS.iter().map(|(name, kind)| match kind {
        Kind::Text => format!("OPTIONAL BINARY {name} (STRING);"),
        Kind::Texts => format!(
            "REQUIRED GROUP {name} (LIST) {{ REPEATED GROUP list {{ REQUIRED BINARY element (STRING); }} }}"
        ),
        Kind::Integer => format!("OPTIONAL INT64 {name};"),
        Kind::Time => format!("OPTIONAL INT64 {name} (TIMESTAMP(MICROS,true));"),
        Kind::Flag => format!("OPTIONAL BOOLEAN {name};"),
    });
    format!("message request {{ {} }}", fields.collect::<String>())
}
