export function main() {
  const standard = new Set([
    "globalThis", "undefined", "NaN", "Infinity", "eval", "parseInt", "parseFloat", "isNaN", "isFinite", "decodeURI", "decodeURIComponent",
    "encodeURI", "encodeURIComponent", "escape", "unescape", "Object", "Function", "Error", "EvalError", "RangeError", "ReferenceError",
    "SyntaxError", "TypeError", "URIError", "AggregateError", "InternalError", "SuppressedError", "Iterator", "AsyncIterator", "Array", "Math",
    "Reflect", "Number", "Boolean", "String", "Symbol", "BigInt", "Date", "RegExp", "JSON", "Proxy", "Map", "Set", "WeakMap", "WeakSet", "WeakRef",
    "FinalizationRegistry", "ArrayBuffer", "SharedArrayBuffer", "DataView", "Atomics", "Promise", "Int8Array", "Uint8Array", "Uint8ClampedArray",
    "Int16Array", "Uint16Array", "Int32Array", "Uint32Array", "BigInt64Array", "BigUint64Array", "Float16Array", "Float32Array", "Float64Array",
    "CallSite", "DOMException", "DisposableStack", "AsyncDisposableStack",
    "g", "GError", "console", "setTimeout", "clearTimeout", "setInterval", "clearInterval", "queueMicrotask", "structuredClone", "TextEncoder",
    "TextDecoder", "URL", "URLSearchParams", "atob", "btoa", "crypto", "Crypto", "performance", "Performance", "fetch", "require", "process", "Deno",
  ]);
  const others = Object.getOwnPropertyNames(globalThis).filter((name) => !standard.has(name));
  assert.deepEqual(others, []);
}
