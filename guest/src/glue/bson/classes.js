// The classes of g.documentdb: values of BSON that JavaScript has no type for. An instance is frozen and has a `text`,
// which the console, `String(value)` and `JSON.stringify` show.
// Returns the classes, and what the glue needs: `make` creates an instance without checking its parts, `entries` returns
// the names and values of a Map. Functions that a script may change are read here, before it runs.
(random, encode64, decode64) => {
  const { create, defineProperty, freeze } = Object;
  const free = Function.prototype.bind.bind(Function.prototype.call);
  const exec = free(RegExp.prototype.exec);
  const lower = free(String.prototype.toLowerCase);
  const slice = free(String.prototype.slice);
  const padStart = free(String.prototype.padStart);
  const numberText = free(Number.prototype.toString);
  const eachOfMap = free(Map.prototype.forEach);
  const { isInteger } = Number;
  const sourceOf = free(Object.getOwnPropertyDescriptor(RegExp.prototype, "source").get);
  const flagsOf = free(Object.getOwnPropertyDescriptor(RegExp.prototype, "flags").get);
  const { now } = Date;
  const parse = Number;
  const [TheTypeError, TheRangeError, TheDate, TheBytes, TheArray, TheRegExp, toBigInt] =
    [TypeError, RangeError, Date, Uint8Array, Array, RegExp, BigInt];

  const fail = (Class, name, message) => {
    const error = new Class(message);
    const own = { code: "INVALID_ARGUMENT", namespace: "documentdb", method: name };
    for (const key in own) defineProperty(error, key, { value: own[key], writable: true, configurable: true, enumerable: true });
    throw error;
  };
  const shown = (value) => (typeof value === "string" ? `"${slice(value, 0, 60)}"` : value === null ? "null" : typeof value);
  const textOf = (name, value, allowed) => {
    if (typeof value !== "string") fail(TheTypeError, name, `text must be ${allowed}, not ${shown(value)}`);
    return value;
  };
  const matching = (name, value, pattern, allowed) => {
    if (exec(pattern, textOf(name, value, allowed)) === null) fail(TheRangeError, name, `text must be ${allowed}, not ${shown(value)}`);
    return value;
  };

  const hexOf = (bytes) => {
    let text = "";
    for (let at = 0; at < bytes.length; at++) text += padStart(numberText(bytes[at], 16), 2, "0");
    return text;
  };

  // Creates an instance: members in `own` are visible and can't change.
  const fill = (object, own) => {
    for (const key in own) defineProperty(object, key, { value: own[key], enumerable: true });
    return freeze(object);
  };
  const common = {
    toString() { return this.text; },
    toJSON() { return this.text; },
  };
  const isSame = (Class) => function equals(other) { return other instanceof Class && other.text === this.text; };

  const OBJECT_ID = /^[0-9a-fA-F]{24}$/;
  // As MongoDB prescribes, the ids of a process share five random bytes and a counter.
  let process, counter;
  const newObjectId = () => {
    if (process === undefined) {
      process = hexOf(random(5));
      const bytes = random(3);
      counter = (bytes[0] << 16) | (bytes[1] << 8) | bytes[2];
    }
    counter = (counter + 1) & 0xffffff;
    const seconds = padStart(numberText((now() / 1000) >>> 0, 16), 8, "0");
    return seconds + process + padStart(numberText(counter, 16), 6, "0");
  };
  class ObjectId {
    constructor(text) {
      fill(this, { text: text === undefined ? newObjectId() : lower(matching("ObjectId", text, OBJECT_ID, "24 hexadecimal digits")) });
    }
    getTimestamp() { return new TheDate(parse(`0x${slice(this.text, 0, 8)}`) * 1000); }
  }

  const UUID_TEXT = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/;
  const newUuid = () => {
    const bytes = random(16);
    bytes[6] = (bytes[6] & 15) | 64;
    bytes[8] = (bytes[8] & 63) | 128;
    const hex = hexOf(bytes);
    return `${slice(hex, 0, 8)}-${slice(hex, 8, 12)}-${slice(hex, 12, 16)}-${slice(hex, 16, 20)}-${slice(hex, 20)}`;
  };
  class UUID {
    constructor(text) {
      const allowed = "a UUID: 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12";
      fill(this, { text: text === undefined ? newUuid() : lower(matching("UUID", text, UUID_TEXT, allowed)) });
    }
  }

  const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,6})?$|^[+-]?(inf|infinity)$|^[+-]?nan$/i;
  // Leading zeros do not count.
  const DIGITS = /^[+-]?[0.]*(\d\.?){0,34}([eE].*)?$|[a-df-z]/i;
  class Decimal128 {
    constructor(text) {
      matching("Decimal128", text, DECIMAL, "a decimal number, Infinity or NaN");
      fill(this, { text: matching("Decimal128", text, DIGITS, "a number with at most 34 digits") });
    }
  }

  const INTEGER = /^(0|-?[1-9]\d{0,18})$/;
  class Long {
    constructor(text) {
      const allowed = "a whole number from -9223372036854775808 to 9223372036854775807";
      const number = toBigInt(matching("Long", text, INTEGER, allowed));
      if (number < -9223372036854775808n || number > 9223372036854775807n) fail(TheRangeError, "Long", `text must be ${allowed}, not ${shown(text)}`);
      fill(this, { text });
    }
    toBigInt() { return toBigInt(this.text); }
  }

  const SECONDS = /^(0|[1-9]\d{0,9}):(0|[1-9]\d{0,9})$/;
  class Timestamp {
    constructor(text) {
      const allowed = "seconds:increment, each from 0 to 4294967295";
      const found = exec(SECONDS, matching("Timestamp", text, SECONDS, allowed));
      const seconds = parse(found[1]);
      const increment = parse(found[2]);
      if (seconds > 4294967295 || increment > 4294967295) fail(TheRangeError, "Timestamp", `text must be ${allowed}, not ${shown(text)}`);
      fill(this, { text, seconds, increment });
    }
  }

  const BASE64 = /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
  class Binary {
    constructor(data, subtype = 0) {
      if (!(data instanceof TheBytes) && typeof data !== "string") fail(TheTypeError, "Binary", `data must be a string of Base64 or a Uint8Array, not ${shown(data)}`);
      if (typeof data === "string" && exec(BASE64, data) === null) fail(TheRangeError, "Binary", `data must be Base64, not ${shown(data)}`);
      if (!isInteger(subtype) || subtype < 0 || subtype > 255) fail(TheRangeError, "Binary", `subtype must be a whole number from 0 to 255, not ${shown(subtype)}`);
      fill(this, { text: typeof data === "string" ? data : encode64(data), subtype });
    }
    toBytes() { return decode64(this.text); }
  }

  class Code {
    constructor(text, scope = null) {
      textOf("Code", text, "JavaScript code in a string");
      if (scope !== null && (typeof scope !== "object" || scope instanceof TheArray)) fail(TheTypeError, "Code", `scope must be an object, not ${shown(scope)}`);
      fill(this, { text, scope });
    }
  }

  class MinKey {
    constructor() { fill(this, { text: "MinKey" }); }
  }
  class MaxKey {
    constructor() { fill(this, { text: "MaxKey" }); }
  }

  const classes = { ObjectId, Decimal128, Binary, UUID, Timestamp, Long, Code, MinKey, MaxKey };
  for (const name in classes) {
    const { prototype } = classes[name];
    for (const method in common) defineProperty(prototype, method, { value: common[method] });
  }
  for (const Class of [ObjectId, UUID]) defineProperty(Class.prototype, "equals", { value: isSame(Class) });

  return {
    classes,
    make: (name, own) => fill(create(classes[name].prototype), own),
    // None for a regular expression that JavaScript would read, or write back, differently.
    pattern(source, flags) {
      try {
        const pattern = new TheRegExp(source, flags);
        return sourceOf(pattern) === source && flagsOf(pattern) === flags ? pattern : undefined;
      } catch {
        return undefined;
      }
    },
    entries(map) {
      const list = [];
      let at = 0;
      const push = (item) => defineProperty(list, at++, { value: item, writable: true, enumerable: true, configurable: true });
      eachOfMap(map, (value, key) => { push(key); push(value); });
      return list;
    },
    source: sourceOf,
    flags: flagsOf,
  };
}
