// TextEncoder, TextDecoder. QuickJS has atob and btoa.
(native) => {
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
    #encoding;
    #fatal;
    #ignoreBOM;
    // The bytes of an incomplete character at the end of the last chunk.
    #rest = new Uint8Array(0);
    // Whether a character was decoded since the start of the stream.
    #started = false;
    constructor(label = "utf-8", options) {
      this.#encoding = native.encodingName(`${label}`);
      if (this.#encoding === undefined) {
        throw new RangeError(`the encoding "${label}" is not supported; use utf-8, utf-16le, utf-16be or windows-1252`);
      }
      this.#fatal = Boolean(options?.fatal);
      this.#ignoreBOM = Boolean(options?.ignoreBOM);
    }
    get encoding() {
      return this.#encoding;
    }
    get fatal() {
      return this.#fatal;
    }
    get ignoreBOM() {
      return this.#ignoreBOM;
    }
    decode(input = new Uint8Array(0), options) {
      const stream = Boolean(options?.stream);
      const bytes = joined(this.#rest, bytesOf(input));
      const end = stream ? native.completeLength(this.#encoding, bytes) : bytes.length;
      const text = native.decode(this.#encoding, bytes.subarray(0, end), this.#fatal);
      const started = this.#started;
      this.#rest = bytes.slice(text === undefined ? bytes.length : end);
      this.#started = stream && text !== undefined && (started || text !== "");
      if (text === undefined) throw new TypeError(`the data is not valid ${this.#encoding}`);
      return !started && !this.#ignoreBOM && text.startsWith("\ufeff") ? text.slice(1) : text;
    }
  }

  function bytesOf(input) {
    if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
    if (input instanceof ArrayBuffer) return new Uint8Array(input);
    throw new TypeError("input must be an ArrayBuffer, a typed array or a DataView");
  }

  function joined(first, second) {
    if (first.length === 0) return second;
    const bytes = new Uint8Array(first.length + second.length);
    bytes.set(first);
    bytes.set(second, first.length);
    return bytes;
  }

  return { TextEncoder, TextDecoder };
}
