// The same documents as words.rs makes.
const SYLLABLES = ["ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu", "va", "we", "xi", "yo", "zu",
  "al", "en", "ir", "on", "us", "am", "el", "in", "or", "ut", "bra", "cle", "dri", "flo", "gru", "sta", "tre", "pli", "sko", "shu"];
const word = (i) => SYLLABLES[i % 40] + SYLLABLES[Math.floor(i / 40) % 40] + SYLLABLES[Math.floor(i / 1600)];

function* documents(count) {
  let state = 1;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  const rare = () => Math.floor(64000 * random() ** 3);
  for (let i = 0; i < count; i++) {
    const words = [];
    for (let n = 0; n < 12; n++) words.push(word(rare()));
    yield { key: `key${i}`, text: words.join(" "), year: 1900 + (i % 100) };
  }
}
