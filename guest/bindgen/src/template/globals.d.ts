/** The error of a failed call of `g`. An invalid argument throws a TypeError or a RangeError instead. */
declare class GError extends Error {
  private constructor();
  readonly name: "GError";
  /** The kind of the error. */
  readonly code: Exclude<ErrorCode, "INVALID_ARGUMENT">;
  /** The namespace that was called: `store`. */
  readonly namespace: string;
  /** The method that was called: `put`. */
  readonly method: string;
  /** Additional information. */
  readonly details?: { readonly [name: string]: any };
}

interface TypeError {
  /** Set on an error of `g`: an argument has the wrong type. */
  readonly code?: "INVALID_ARGUMENT";
  readonly namespace?: string;
  readonly method?: string;
}

interface RangeError {
  /** Set on an error of `g`: an argument is out of its bounds. */
  readonly code?: "INVALID_ARGUMENT";
  readonly namespace?: string;
  readonly method?: string;
  readonly details?: { readonly [name: string]: any };
}

/** Writes lines to standard error. */
interface Console {
  log(...data: any[]): void;
  info(...data: any[]): void;
  warn(...data: any[]): void;
  error(...data: any[]): void;
  debug(...data: any[]): void;
  /** Writes an array of objects as a table. */
  table(data?: any, columns?: string[]): void;
  /** Writes one value. */
  dir(item?: any): void;
  dirxml(...data: any[]): void;
  /** Writes a line, and indents the following lines until `groupEnd`. */
  group(...label: any[]): void;
  /** The same as `group`. */
  groupCollapsed(...label: any[]): void;
  groupEnd(): void;
  /** Ends all groups. Lines that were written stay. */
  clear(): void;
  /** Writes an error line unless `condition` is true. */
  assert(condition?: boolean, ...data: any[]): void;
  /** Starts a timer. */
  time(label?: string): void;
  /** Stops a timer and writes the elapsed time. */
  timeEnd(label?: string): void;
}
declare var console: Console;

/** Calls `callback` once, after `delay` milliseconds. Timers end with `main`. */
declare function setTimeout<A extends any[]>(callback: (...args: A) => void, delay?: number, ...args: A): number;
declare function clearTimeout(id?: number): void;
/** Calls `callback` every `delay` milliseconds. Timers end with `main`. */
declare function setInterval<A extends any[]>(callback: (...args: A) => void, delay?: number, ...args: A): number;
declare function clearInterval(id?: number): void;
declare function queueMicrotask(callback: () => void): void;

/** Returns a deep copy. Supports Map, Set, Date, RegExp, Error, typed arrays and cycles. `transfer` detaches these buffers. */
declare function structuredClone<T>(value: T, options?: { transfer?: ArrayBuffer[] }): T;

/** An error of a global of the web platform, such as `atob`. `name` states its kind. */
interface DOMException extends Error {
  readonly name: string;
  readonly message: string;
  /** The number of the kind; 0 for kinds without one. */
  readonly code: number;
}
declare var DOMException: {
  prototype: DOMException;
  new (message?: string, name?: string): DOMException;
};

/** Decodes Base64 to a string in which each character represents a byte. */
declare function atob(data: string): string;
/** Encodes a string in which each character represents a byte as Base64. */
declare function btoa(data: string): string;

interface TextEncoder {
  readonly encoding: string;
  encode(input?: string): Uint8Array;
  encodeInto(source: string, destination: Uint8Array): { read: number; written: number };
}
declare var TextEncoder: { prototype: TextEncoder; new (): TextEncoder };

interface TextDecoder {
  readonly encoding: string;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  decode(input?: ArrayBuffer | ArrayBufferView, options?: { stream?: boolean }): string;
}
declare var TextDecoder: {
  prototype: TextDecoder;
  new (label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean }): TextDecoder;
};

interface URL {
  href: string;
  readonly origin: string;
  protocol: string;
  username: string;
  password: string;
  host: string;
  hostname: string;
  port: string;
  pathname: string;
  search: string;
  readonly searchParams: URLSearchParams;
  hash: string;
  toString(): string;
  toJSON(): string;
}
declare var URL: {
  prototype: URL;
  new (url: string | URL, base?: string | URL): URL;
  canParse(url: string | URL, base?: string | URL): boolean;
};

interface URLSearchParams {
  readonly size: number;
  append(name: string, value: string): void;
  delete(name: string, value?: string): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: string): boolean;
  set(name: string, value: string): void;
  sort(): void;
  toString(): string;
  forEach(callback: (value: string, key: string, parent: URLSearchParams) => void, thisArg?: any): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}
declare var URLSearchParams: {
  prototype: URLSearchParams;
  new (init?: string[][] | Record<string, string> | string | URLSearchParams): URLSearchParams;
};

interface Crypto {
  /** Returns a random UUID (version 4). */
  randomUUID(): `${string}-${string}-${string}-${string}-${string}`;
  /** Fills the array with random values and returns it. */
  getRandomValues<T extends ArrayBufferView>(array: T): T;
}
declare var crypto: Crypto;

interface Performance {
  /** Returns the milliseconds since the run started, with fractions. */
  now(): number;
}
declare var performance: Performance;
