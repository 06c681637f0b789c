//! Support of generated code. Not a public interface: generated code names the version of it that it was made for.

pub mod v1;
