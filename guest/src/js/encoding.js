// TextEncoder, TextDecoder, atob, btoa.
(native) => {
  const labels = { "utf-8": "utf-8", utf8: "utf-8", "unicode-1-1-utf-8": "utf-8" };

  class TextEncoder {
    get encoding() {
      return "utf-8";
    }
    encode(text = "") {
      return new Uint8Array(native.encode(`${text}`));
    }
    encodeInto(text, target) {
      let read = 0;
      let written = 0;
      for (const character of `${text}`) {
        const bytes = this.encode(character);
        if (written + bytes.length > target.length) break;
        target.set(bytes, written);
        written += bytes.length;
        read += character.length;
      }
      return { read, written };
    }
  }

  class TextDecoder {
    #fatal;
    #ignoreBOM;
    #rest = new Uint8Array(0);
    constructor(label = "utf-8", { fatal = false, ignoreBOM = false } = {}) {
      if (!Object.hasOwn(labels, `${label}`.trim().toLowerCase())) throw new RangeError(`the encoding "${label}" is not supported: utf-8 is`);
      this.#fatal = Boolean(fatal);
      this.#ignoreBOM = Boolean(ignoreBOM);
    }
    get encoding() {
      return "utf-8";
    }
    get fatal() {
      return this.#fatal;
    }
    get ignoreBOM() {
      return this.#ignoreBOM;
    }
    decode(input = new Uint8Array(0), { stream = false } = {}) {
      let bytes = ArrayBuffer.isView(input) ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength) : new Uint8Array(input);
      if (this.#rest.length) bytes = Uint8Array.of(...this.#rest, ...bytes);
      const end = stream ? complete(bytes) : bytes.length;
      this.#rest = bytes.slice(end);
      const text = native.decode(bytes.slice(0, end), this.#fatal);
      if (text === undefined) {
        this.#rest = new Uint8Array(0);
        throw new TypeError("the data is not valid UTF-8");
      }
      return !this.#ignoreBOM && text.startsWith("\ufeff") ? text.slice(1) : text;
    }
  }

  // The start of the last character, if it may be incomplete.
  function complete(bytes) {
    for (let back = 1; back <= Math.min(3, bytes.length); back++) {
      const byte = bytes[bytes.length - back];
      if (byte >= 0xc0) return byte >= [0, 0xc0, 0xe0, 0xf0][back] && back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? bytes.length - back : bytes.length;
      if (byte < 0x80) break;
    }
    return bytes.length;
  }

  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const refuse = (message) => Object.assign(new Error(message), { name: "InvalidCharacterError" });

  function btoa(text) {
    text = `${text}`;
    let encoded = "";
    for (let i = 0; i < text.length; i += 3) {
      const codes = [text.charCodeAt(i), text.charCodeAt(i + 1), text.charCodeAt(i + 2)];
      if (codes.some((code) => code > 255)) throw refuse("btoa takes characters up to U+00FF");
      const bits = (codes[0] << 16) | (codes[1] << 8) | codes[2];
      const left = text.length - i;
      encoded += alphabet[bits >> 18] + alphabet[(bits >> 12) & 63] + (left > 1 ? alphabet[(bits >> 6) & 63] : "=") + (left > 2 ? alphabet[bits & 63] : "=");
    }
    return encoded;
  }

  function atob(text) {
    let encoded = `${text}`.replace(/[\t\n\f\r ]/g, "");
    if (encoded.length % 4 === 0) encoded = encoded.replace(/==?$/, "");
    if (encoded.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(encoded)) throw refuse("the text is not correctly encoded base64");
    let decoded = "";
    for (let i = 0, bits = 0; i < encoded.length; i++) {
      bits = ((bits << 6) | alphabet.indexOf(encoded[i])) & 0xffffff;
      if (i % 4) decoded += String.fromCharCode((bits >> (6 - 2 * (i % 4))) & 255);
    }
    return decoded;
  }

  return { TextEncoder, TextDecoder, atob, btoa };
}
