// structuredClone, as in the HTML Standard. `native` copies objects, arrays and references; the classes whose contents are
// not members are copied here. Functions that a script may change are read here, before it runs.
(native) => {
  const { ArrayBuffer, DOMException, DataView, Date, Error, Map, Object, RegExp, Set, TypeError, Uint8Array } = globalThis;
  const free = Function.prototype.bind.bind(Function.prototype.call);
  const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf, hasOwn } = Object;
  const getter = (Class, name) => free(getOwnPropertyDescriptor(Class.prototype, name).get);
  const errors = { __proto__: null, Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
  const TypedArray = getPrototypeOf(Uint8Array);
  const typedArrays = [
    Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array,
    BigInt64Array, BigUint64Array, Float16Array, Float32Array, Float64Array,
  ];
  const kindText = free(Object.prototype.toString);
  const symbolText = free(Symbol.prototype.toString);
  const push = (list, item) => defineProperty(list, list.length, { value: item, writable: true, enumerable: true, configurable: true });
  const fail = (what) => new DOMException(`${what} could not be cloned`, "DataCloneError");

  function refused(value, isProxy) {
    if (isProxy) return fail("a Proxy");
    if (typeof value === "symbol") return fail(symbolText(value));
    return fail(typeof value === "function" ? "a function" : kindText(value));
  }

  // `copy` creates the copy of an object; `buffer` returns the buffer that its second argument is a copy of. `children` returns
  // an array of values, and `fill` puts their copies into the copy of the object.
  const wrapper = (Class) => {
    const valueOf = free(Class.prototype.valueOf);
    return { copy: (value) => Object(valueOf(value)) };
  };
  const view = (Class, Base, lengthName) => {
    const [buffer, offset, length] = [getter(Base, "buffer"), getter(Base, "byteOffset"), getter(Base, lengthName)];
    return { buffer, copy: (value, bytes) => new Class(bytes, offset(value), length(value)) };
  };

  const time = free(Date.prototype.getTime);
  const [source, flags] = [getter(RegExp, "source"), getter(RegExp, "flags")];
  const [message, name] = [getter(DOMException, "message"), getter(DOMException, "name")];

  const slice = free(ArrayBuffer.prototype.slice);
  const transfer = free(ArrayBuffer.prototype.transfer);
  const [byteLength, maxByteLength] = [getter(ArrayBuffer, "byteLength"), getter(ArrayBuffer, "maxByteLength")];
  const [isDetached, isResizable] = [getter(ArrayBuffer, "detached"), getter(ArrayBuffer, "resizable")];
  const isImmutable = getter(ArrayBuffer, "immutable");
  const setBytes = free(Uint8Array.prototype.set);
  const buffer = {
    copy(value) {
      if (isDetached(value)) throw fail("a detached ArrayBuffer");
      if (!isResizable(value)) return slice(value, 0, byteLength(value));
      const copy = new ArrayBuffer(byteLength(value), { maxByteLength: maxByteLength(value) });
      setBytes(new Uint8Array(copy), new Uint8Array(value));
      return copy;
    },
  };

  const [eachOfMap, setOfMap] = [free(Map.prototype.forEach), free(Map.prototype.set)];
  const map = {
    copy: () => new Map(),
    children(value) {
      const list = [];
      eachOfMap(value, (item, key) => {
        push(list, key);
        push(list, item);
      });
      return list;
    },
    fill(copy, list) {
      for (let i = 0; i < list.length; i += 2) setOfMap(copy, list[i], list[i + 1]);
    },
  };
  const [eachOfSet, addToSet, isInSet] = [free(Set.prototype.forEach), free(Set.prototype.add), free(Set.prototype.has)];
  const set = {
    copy: () => new Set(),
    children(value) {
      const list = [];
      eachOfSet(value, (item) => push(list, item));
      return list;
    },
    fill(copy, list) {
      for (let i = 0; i < list.length; i++) addToSet(copy, list[i]);
    },
  };

  const define = (object, key, value) => defineProperty(object, key, { value, writable: true, configurable: true });
  const error = {
    copy(value) {
      const copy = new (errors[`${value.name}`] ?? Error)();
      const own = getOwnPropertyDescriptor(value, "message");
      if (own && hasOwn(own, "value")) define(copy, "message", `${own.value}`);
      return define(copy, "stack", `${value.stack}`);
    },
    children: (value) => (hasOwn(value, "cause") ? [value.cause] : []),
    fill(copy, list) {
      if (list.length) define(copy, "cause", list[0]);
    },
  };

  // An object of each class that can be copied. Those without functions are copied by their members.
  const classes = [
    [{}],
    [[]],
    [(function () { return arguments; })()],
    [(function (a) { return arguments; })(1)],
    [new Boolean(true), wrapper(Boolean)],
    [new Number(1), wrapper(Number)],
    [new String(""), wrapper(String)],
    [Object(1n), wrapper(BigInt)],
    [new Date(), { copy: (value) => new Date(time(value)) }],
    [/x/, { copy: (value) => new RegExp(source(value), flags(value)) }],
    [new DOMException(), { copy: (value) => new DOMException(message(value), name(value)) }],
    [new Error(), error],
    [new Map(), map],
    [new Set(), set],
    [new ArrayBuffer(0), buffer],
    [new DataView(new ArrayBuffer(0)), view(DataView, DataView, "byteLength")],
  ];
  for (const Class of typedArrays) classes.push([new Class(), view(Class, TypedArray, "length")]);
  const clone = native.cloner(classes, refused);

  function isBuffer(value) {
    try {
      byteLength(value);
      return true;
    } catch {
      return false;
    }
  }

  // Returns the ArrayBuffers of the option `transfer`.
  function transferred(options) {
    const list = options?.transfer === undefined ? [] : [...options.transfer];
    const seen = new Set();
    for (let i = 0; i < list.length; i++) {
      if (!isBuffer(list[i])) throw fail("a value in transfer that is not an ArrayBuffer");
      if (isDetached(list[i])) throw fail("a detached ArrayBuffer");
      if (isImmutable(list[i])) throw fail("an immutable ArrayBuffer");
      if (isInSet(seen, list[i])) throw fail("an ArrayBuffer that is twice in transfer");
      addToSet(seen, list[i]);
    }
    return list;
  }

  return {
    structuredClone(value, options) {
      if (arguments.length === 0) throw new TypeError("structuredClone takes a value");
      const buffers = transferred(options);
      const copy = clone(value);
      for (let i = 0; i < buffers.length; i++) transfer(buffers[i], 0);
      return copy;
    },
  };
}
