//! End-to-end tests over real HTTP.
