//! Structured data: JSON, JSONL, YAML and XML, whole as they are written, or cut to depth, items and strings.

mod check;
pub mod json;
pub mod jsonl;
mod pretty;
mod pull;
pub mod xml;
pub mod yaml;

#[cfg(test)]
mod tests;
