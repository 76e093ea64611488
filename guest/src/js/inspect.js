// Formats values like Deno's console: nested to a depth of 4, up to 100 items and 10,000 characters, broken at 80 columns, without colours.
// Functions that a script may change (prototypes, Object.keys) are read here, before it runs.
(() => {
  const DEPTH = 4;
  const ITEMS = 100;
  const CHARACTERS = 10_000;
  const WIDTH = 80;
  // The number of levels that may share a line.
  const LEVELS = 3;

  const free = Function.prototype.bind.bind(Function.prototype.call);
  const { defineProperty, getOwnPropertyDescriptor, getOwnPropertySymbols, getPrototypeOf, keys, hasOwn, is } = Object;
  const { isArray } = Array;
  const { isView } = ArrayBuffer;
  const { floor, max, min, round, sqrt } = Math;
  const arrayMap = free(Array.prototype.map);
  const join = free(Array.prototype.join);
  const slice = free(Array.prototype.slice);
  const textSlice = free(String.prototype.slice);
  const indexOf = free(Array.prototype.indexOf);
  const filter = free(Array.prototype.filter);
  const codeAt = free(String.prototype.charCodeAt);
  const has = free(String.prototype.includes);
  const padEnd = free(String.prototype.padEnd);
  const padStart = free(String.prototype.padStart);
  const trimEnd = free(String.prototype.trimEnd);
  const test = free(RegExp.prototype.test);
  const errorText = free(Error.prototype.toString);
  const isoText = free(Date.prototype.toISOString);
  const time = free(Date.prototype.getTime);
  const patternText = free(RegExp.prototype.toString);
  const symbolText = free(Symbol.prototype.toString);
  const numberText = free(Number.prototype.toString);
  const isEnumerable = free(Object.prototype.propertyIsEnumerable);
  const eachOfMap = free(Map.prototype.forEach);
  const eachOfSet = free(Set.prototype.forEach);
  const mapSize = free(getOwnPropertyDescriptor(Map.prototype, "size").get);
  const setSize = free(getOwnPropertyDescriptor(Set.prototype, "size").get);
  const boxed = [String, Number, Boolean, Symbol, BigInt];
  const unbox = arrayMap(boxed, (Box) => free(Box.prototype.valueOf));
  const Objects = { Error, Date, RegExp, Promise, WeakMap, WeakSet, Map, Set, ArrayBuffer, DataView };
  const toStringTag = Symbol.toStringTag;
  // The language's own constructors look like classes.
  const native = new Set(filter(arrayMap(Object.getOwnPropertyNames(globalThis), (name) => globalThis[name]), (value) => typeof value === "function"));
  const isNative = free(Set.prototype.has);

  // The classes whose instances are shown as their `text`.
  let texts = [];

  const identifier = /^[A-Za-z_$][A-Za-z0-9_$]*$/;
  const index = /^(0|[1-9]\d*)$/;
  const escapes = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f", "\v": "\\v" };

  // `push` and `map` without calls of setters on Array.prototype.
  const push = (list, item) => defineProperty(list, list.length, { value: item, writable: true, enumerable: true, configurable: true });
  const map = (list, make) => {
    const made = [];
    for (let i = 0; i < list.length; i++) push(made, make(list[i], i));
    return made;
  };

  // A long nested text is cut.
  function quote(text) {
    const left = text.length - CHARACTERS;
    return left > 0 ? `${quoteWhole(textSlice(text, 0, CHARACTERS))}... ${left} more character${left > 1 ? "s" : ""}` : quoteWhole(text);
  }

  function quoteWhole(text) {
    const mark = !has(text, '"') ? '"' : !has(text, "'") ? "'" : !has(text, "`") ? "`" : '"';
    let quoted = mark;
    for (let i = 0; i < text.length; i++) {
      const character = text[i];
      const code = codeAt(text, i);
      if (hasOwn(escapes, character)) quoted += escapes[character];
      else if (code < 32 || (code > 126 && code < 160)) quoted += "\\x" + padStart(numberText(code, 16), 2, "0");
      else quoted += character === mark ? "\\" + mark : character;
    }
    return quoted + mark;
  }

  const keyText = (key) => (typeof key === "symbol" ? `[${symbolText(key)}]` : test(identifier, key) ? key : quote(key));

  // The class of an object; null for an object without one.
  function className(value) {
    for (let object = value; object !== null; object = getPrototypeOf(object)) {
      const own = getOwnPropertyDescriptor(object, "constructor");
      if (own !== undefined && typeof own.value === "function" && own.value.name) return own.value.name;
    }
    return null;
  }

  function primitive(value) {
    switch (typeof value) {
      case "string": return quote(value);
      case "bigint": return `${value}n`;
      case "symbol": return symbolText(value);
      case "number": return is(value, -0) ? "-0" : `${value}`;
      default: return `${value}`;
    }
  }

  function functionText(value) {
    const name = typeof value.name === "string" ? value.name : "";
    if (getOwnPropertyDescriptor(value, "prototype")?.writable === false && !isNative(native, value)) {
      const parent = getPrototypeOf(value);
      const base = parent === null ? " extends null" : parent.name ? ` extends ${parent.name}` : "";
      return `[class ${name || "(anonymous)"}${base}]`;
    }
    const kind = className(value) ?? "Function";
    return name ? `[${kind}: ${name}]` : `[${kind} (anonymous)]`;
  }

  class Inspector {
    seen = [];
    circular = [];
    // The depth of the last formatted object, and its indentation.
    lastDepth = 0;
    indentation = 0;

    show(value, depth) {
      if (value === null || (typeof value !== "object" && typeof value !== "function")) return primitive(value);
      if (indexOf(this.seen, value) >= 0) {
        if (indexOf(this.circular, value) < 0) push(this.circular, value);
        return `[Circular *${indexOf(this.circular, value) + 1}]`;
      }
      push(this.seen, value);
      const text = this.object(value, depth);
      this.seen.length--;
      const reference = indexOf(this.circular, value);
      return reference < 0 ? text : `<ref *${reference + 1}> ${text}`;
    }

    object(value, depth) {
      if (typeof value === "function") return this.braces(functionText(value), value, depth);
      for (let i = 0; i < texts.length; i++) {
        if (value instanceof texts[i] && typeof value.text === "string") return value.text;
      }
      if (value instanceof Objects.Error) return this.error(value, depth);
      if (value instanceof Objects.Date) return this.braces(time(value) === time(value) ? isoText(value) : "Invalid Date", value, depth);
      if (value instanceof Objects.RegExp) return this.braces(patternText(value), value, depth);
      for (let i = 0; i < boxed.length; i++) {
        if (value instanceof boxed[i]) return `[${boxed[i].name}: ${primitive(unbox[i](value))}]`;
      }
      if (value instanceof Objects.Promise) return "Promise { ... }";
      const name = className(value);
      if (value instanceof Objects.WeakMap || value instanceof Objects.WeakSet) return `${name} { <items unknown> }`;
      if (depth > DEPTH) return `[${isArray(value) ? "Array" : name ?? "Object: null prototype"}]`;
      this.lastDepth = depth;
      const view = isView(value) && !(value instanceof Objects.DataView);
      if (isArray(value) || view) {
        const prefix = name === "Array" ? "" : `${name}(${value.length}) `;
        return this.join(prefix, "[", this.elements(value, depth), this.members(value, depth, true), "]", depth, value);
      }
      if (value instanceof Objects.Map) return this.join(`${name}(${mapSize(value)}) `, "{", this.entries(value, depth), this.members(value, depth), "}", depth);
      if (value instanceof Objects.Set) return this.join(`${name}(${setSize(value)}) `, "{", this.items(value, depth), this.members(value, depth), "}", depth);
      if (value instanceof Objects.ArrayBuffer) return `${name} { byteLength: ${value.byteLength} }`;
      const tag = value[toStringTag];
      let prefix = name === null ? "[Object: null prototype] " : name === "Object" ? "" : `${name} `;
      if (typeof tag === "string" && tag !== "" && tag !== name) prefix = `${prefix || "Object "}[${tag}] `;
      return this.join(prefix, "{", [], this.members(value, depth), "}", depth);
    }

    error(value, depth) {
      const described = errorText(value);
      const stack = typeof value.stack === "string" ? trimEnd(value.stack) : "";
      let text = stack ? `${described}\n${stack}` : described;
      if (hasOwn(value, "cause")) text += `\nCaused by ${this.show(value.cause, depth + 1)}`;
      return this.braces(text, value, depth, ["stack", "message", "cause"]);
    }

    // A value with its own text, and its members if it has any.
    braces(text, value, depth, hidden = []) {
      const own = filter(keys(value), (key) => indexOf(hidden, key) < 0);
      if (own.length === 0 || depth > DEPTH) return text;
      this.lastDepth = depth;
      return this.join(`${text} `, "{", [], map(own, (key) => this.member(value, key, depth)), "}", depth);
    }

    within(show) {
      this.indentation += 2;
      const text = show();
      this.indentation -= 2;
      return text;
    }

    elements(value, depth) {
      const shown = [];
      let empty = 0;
      const flush = () => {
        if (empty > 0) push(shown, `<${empty} empty item${empty > 1 ? "s" : ""}>`);
        empty = 0;
      };
      let at = 0;
      for (; at < value.length && shown.length < ITEMS; at++) {
        if (hasOwn(value, at)) {
          flush();
          if (shown.length < ITEMS) push(shown, this.within(() => this.show(value[at], depth + 1)));
        } else {
          empty++;
        }
      }
      flush();
      return this.more(shown, value.length - at);
    }

    entries(value, depth) {
      const shown = [];
      eachOfMap(value, (item, key) => {
        if (shown.length < ITEMS) push(shown, this.within(() => `${this.show(key, depth + 1)} => ${this.show(item, depth + 1)}`));
      });
      return this.more(shown, mapSize(value) - shown.length);
    }

    items(value, depth) {
      const shown = [];
      eachOfSet(value, (item) => {
        if (shown.length < ITEMS) push(shown, this.within(() => this.show(item, depth + 1)));
      });
      return this.more(shown, setSize(value) - shown.length);
    }

    members(value, depth, isList = false) {
      const own = filter(keys(value), (key) => !isList || !test(index, key));
      const symbols = filter(getOwnPropertySymbols(value), (key) => isEnumerable(value, key));
      const all = [...own, ...symbols];
      return this.more(map(slice(all, 0, ITEMS), (key) => this.member(value, key, depth)), all.length - ITEMS);
    }

    member(value, key, depth) {
      const { get, set, value: item } = getOwnPropertyDescriptor(value, key) ?? {};
      const accessor = get && set ? "[Getter/Setter]" : get ? "[Getter]" : set ? "[Setter]" : null;
      return `${keyText(key)}: ${accessor ?? this.within(() => this.show(item, depth + 1))}`;
    }

    more(shown, left) {
      if (left > 0) push(shown, `... ${left} more item${left > 1 ? "s" : ""}`);
      return shown;
    }

    // On one line if it is short and not nested too deeply; otherwise one line each.
    join(prefix, open, items, members, close, depth, list) {
      let lines = [...items, ...members];
      if (lines.length === 0) return `${prefix}${open}${close}`;
      const count = lines.length;
      if (list !== undefined && count > 6) lines = grouped(lines, list, this.indentation);
      if (this.lastDepth - depth < LEVELS && lines.length === count) {
        let width = lines.length + this.indentation + open.length + prefix.length + 10;
        let broken = has(prefix, "\n");
        for (let i = 0; i < lines.length; i++) {
          width += lines[i].length + 1;
          broken ||= has(lines[i], "\n");
        }
        if (width <= WIDTH && !broken) return `${prefix}${open} ${join(lines, ", ")} ${close}`;
      }
      const indent = padEnd("\n", this.indentation + 1);
      return `${prefix}${open}${indent}  ${join(lines, `,${indent}  `)}${indent}${close}`;
    }
  }

  // Many short items share lines, in columns.
  function grouped(items, list, indentation) {
    const count = list.length > ITEMS ? items.length - 1 : items.length;
    let total = 0;
    let longest = 0;
    for (let i = 0; i < count; i++) {
      total += items[i].length + 2;
      longest = max(longest, items[i].length);
      if (has(items[i], "\n")) return items;
    }
    const width = longest + 2;
    if (width * 3 + indentation >= WIDTH || !(total / width > 5 || longest <= 6)) return items;
    const biased = max(width - 3 - sqrt(width - total / items.length), 1);
    const columns = min(round(sqrt(2.5 * biased * count) / biased), floor((WIDTH - indentation) / width), LEVELS * 4, 15);
    if (columns <= 1) return items;
    const widths = [];
    for (let column = 0; column < columns; column++) {
      let widest = 0;
      for (let at = column; at < count; at += columns) widest = max(widest, items[at].length);
      push(widths, widest + 2);
    }
    let numeric = true;
    for (let i = 0; i < count; i++) numeric &&= typeof list[i] === "number" || typeof list[i] === "bigint";
    const pad = numeric ? padStart : padEnd;
    const rows = [];
    for (let start = 0; start < count; start += columns) {
      const end = min(start + columns, count);
      let row = "";
      for (let at = start; at < end - 1; at++) row += pad(`${items[at]}, `, widths[at - start]);
      row += numeric ? padStart(items[end - 1], widths[end - 1 - start] - 2) : items[end - 1];
      push(rows, row);
    }
    if (count < items.length) push(rows, items[count]);
    return rows;
  }

  // `top`: a top-level value, of which a string is not quoted.
  const show = (value, top = false) => {
    if (top && typeof value === "string") return value;
    try {
      return new Inspector().show(value, 0);
    } catch {
      return `[${typeof value}]`; // a Proxy or a getter that throws
    }
  };
  show.showText = (classes) => {
    texts = classes;
  };
  return show;
})()
