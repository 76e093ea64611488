//! Whether the files of an index contain what Tantivy wrote: each ends with a checksum.
//!
//! Tantivy's own check reads each file into memory as a whole.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom},
};

use serde::Deserialize;
use tantivy::{Index, TantivyError, Version, index::SegmentComponent};

use crate::folder::Folder;

/// What a file ends with: the length of the text before it, and this number.
const MAGIC: u32 = 1337;
const END_BYTES: u64 = 8;
/// How long that text may be.
const LONGEST: u64 = 50_000;
/// How much is read at a time.
const STEP: usize = 1 << 20;

/// The text.
#[derive(Deserialize)]
struct Footer {
    /// Whether it is one that can be read is for Tantivy to say.
    #[serde(rename = "version")]
    _version: Version,
    crc: u32,
}

/// The files of every segment. Tantivy reads a segment without its positions as one in which no term has a position.
const FILES: [SegmentComponent; 6] = [
    SegmentComponent::Postings,
    SegmentComponent::Positions,
    SegmentComponent::FastFields,
    SegmentComponent::FieldNorms,
    SegmentComponent::Terms,
    SegmentComponent::Store,
];

/// Whether all files of an index exist and match their checksums.
pub(super) fn all_match(folder: &Folder, index: &Index) -> Result<bool, TantivyError> {
    for segment in index.load_metas()?.segments {
        let deleted = segment.has_deletes().then_some(SegmentComponent::Delete);
        for path in FILES.into_iter().chain(deleted).map(|component| segment.relative_path(component)) {
            let Some(name) = path.to_str() else { return Ok(false) };
            let file = match folder.read(name) {
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
                file => file?,
            };
            if !matches(file)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

fn matches(mut file: File) -> io::Result<bool> {
    let length = file.metadata()?.len();
    let Some(end) = length.checked_sub(END_BYTES) else { return Ok(false) };
    file.seek(SeekFrom::Start(end))?;
    let (size, magic) = (number(&mut file)?, number(&mut file)?);
    let Some(content) = end.checked_sub(size.into()) else { return Ok(false) };
    if magic != MAGIC || u64::from(size) > LONGEST {
        return Ok(false);
    }
    file.seek(SeekFrom::Start(content))?;
    let mut text = Vec::new();
    (&file).take(size.into()).read_to_end(&mut text)?;
    let Ok(footer) = serde_json::from_slice::<Footer>(&text) else { return Ok(false) };
    file.rewind()?;
    Ok(checksum(file.take(content))? == footer.crc)
}

fn number(file: &mut File) -> io::Result<u32> {
    let mut bytes = [0; 4];
    file.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

fn checksum(content: impl Read) -> io::Result<u32> {
    let (mut content, mut hasher) = (BufReader::with_capacity(STEP, content), crc32fast::Hasher::new());
    loop {
        match content.fill_buf()? {
            [] => return Ok(hasher.finalize()),
            bytes => hasher.update(bytes),
        }
        let read = content.buffer().len();
        content.consume(read);
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use tantivy::{
        TantivyDocument,
        schema::{Schema, TEXT},
    };

    use super::*;
    use crate::{folder::Location, index::directory::Unsynced};

    /// An index of some documents of which one is deleted, and its folder.
    fn index(path: &Path) -> (Folder, Index) {
        let folder = Location::around(path).open().unwrap();
        let mut schema = Schema::builder();
        let text = schema.add_text_field("text", TEXT);
        let index =
            Index::create(Unsynced::of(folder.clone()), schema.build(), tantivy::IndexSettings::default()).unwrap();
        let mut writer = index.writer_with_num_threads(1, 15 << 20).unwrap();
        for word in ["tea", "coffee"] {
            let mut document = TantivyDocument::new();
            document.add_text(text, word);
            writer.add_document(document).unwrap();
        }
        writer.commit().unwrap();
        writer.delete_term(tantivy::Term::from_field_text(text, "tea"));
        writer.commit().unwrap();
        writer.wait_merging_threads().unwrap();
        (folder, index)
    }

    #[test]
    fn damage_at_any_place_is_noticed_as_tantivy_does() {
        let path = tempfile::tempdir().unwrap();
        let (folder, index) = index(path.path());
        assert!(all_match(&folder, &index).unwrap() && index.validate_checksum().unwrap().is_empty());
        let files = index.load_metas().unwrap().list_segment_files();
        let (mut tried, mut noticed) = (0, 0);
        for file in files.iter().map(|file| path.path().join(file)).filter(|file| file.exists()) {
            let whole = fs::read(&file).unwrap();
            for at in [0, whole.len() / 2, whole.len() - 9, whole.len() - 6, whole.len() - 1] {
                let mut damaged = whole.clone();
                damaged[at] ^= 0x55;
                fs::write(&file, &damaged).unwrap();
                let by_tantivy = index.validate_checksum().is_ok_and(|damaged| damaged.is_empty());
                let by_ghost = all_match(&folder, &index).unwrap();
                assert!(!by_ghost || by_tantivy, "{at} of {}", file.display());
                tried += 1;
                noticed += usize::from(!by_ghost);
            }
            for length in [0, 7, whole.len() - 1] {
                fs::write(&file, &whole[..length]).unwrap();
                assert!(!all_match(&folder, &index).unwrap(), "{length} bytes of {}", file.display());
            }
            fs::remove_file(&file).unwrap();
            assert!(!all_match(&folder, &index).unwrap(), "{} is missing", file.display());
            fs::write(&file, &whole).unwrap();
        }
        assert!(tried >= 30 && noticed * 2 > tried, "{noticed} of {tried}");
        assert!(all_match(&folder, &index).unwrap());
    }
}
