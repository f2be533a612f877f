//! Content that tools, resources and prompts share.

use rmcp::model::{ContentBlock, ResourceContents};

pub const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
pub const SILENCE: &str = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";
pub const STATIC_TEXT: &str = "This is the content of the static text resource.";

pub fn image() -> ContentBlock {
    ContentBlock::image(PIXEL, "image/png")
}

pub fn embedded(uri: &str, text: &str) -> ContentBlock {
    ContentBlock::resource(ResourceContents::text(text, uri).with_mime_type("text/plain"))
}
