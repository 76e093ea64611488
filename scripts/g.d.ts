// Made by ghost-bindgen: what a script of ghost can use beside ES2023.

/** Storage and external systems. Frozen. */
declare const g: {
  /** An external PostgreSQL database. */
  readonly sqldb: GhostSqldb;
  /** Documents in named collections, kept in the workspace. */
  readonly store: GhostStore;
  /** A work queue with priorities, retries and dead letters, kept in the workspace. */
  readonly queue: GhostQueue;
  /** Full-text search over documents that are flat maps of fields, kept in the workspace. */
  readonly search: GhostSearch;
};

/**
 * An external PostgreSQL database.
 *
 * `conn` names a secret (`ghost secret set NAME`) that holds a connection string as libpq reads it: a `postgres://` URI
 * or key=value pairs. `sslmode` is `require` when it is left out, and plain text is sent only with `disable`, or to
 * the machine itself. As with libpq, `require` encrypts without asking who the server is, unless `sslrootcert` is there;
 * `sslmode=verify-ca` and `sslmode=verify-full` ask, the authorities of the system or those in the file that `sslrootcert`
 * names. The other options are `user`, `password`, `host`, `hostaddr`, `port`, `dbname`, `options`, `application_name`,
 * `connect_timeout` (10 s, or less), `keepalives` and those that begin so, `tcp_user_timeout`, `sslnegotiation`,
 * `channel_binding`, `target_session_attrs`, `load_balance_hosts` and `client_encoding`. One that is libpq's and not supported is
 * named in the error; none is read from the environment.
 *
 * Behind a pooler in transaction mode, as PgBouncer has it, everything works that needs no session: statements have no names
 * on the server. A `SET`, `LISTEN`, temporary table, advisory lock or `PREPARE` outside of a transaction may be another session's
 * by the next call; inside `transaction` it holds until its end.
 *
 * At most 50 connections lead to one database; more calls wait for one, for 30 s. They are pooled, closed when no call has
 * used them for a minute, and reset before another call has them: a `SET` or a temporary table ends with its call. A call
 * has the time of its run. A statement that is still running when its time is up is
 * cancelled on the server. What it tells beside its answers, as by `RAISE NOTICE`, is not shown.
 *
 * Values come as they are in JavaScript where nothing is lost: `boolean`, `smallint`, `integer`, `real` and
 * `double precision`; `bytea` as Uint8Array; `date` as `YYYY-MM-DD`; `timestamp` and `timestamptz` as ISO 8601, the latter in
 * UTC with `Z`; arrays as arrays. `json` and `jsonb` are what `JSON.parse` makes of them: of a number that has more digits than
 * JavaScript's, `column::text` gives all. NaN and the infinities of `real` and `double precision` are numbers. Everything else
 * is the text that `psql` shows: `bigint` and `numeric` too, infinite dates, dates BC, arrays that do not start at 1. Years beyond
 * 9999 have more digits, which `Date` does not read.
 *
 * Every method fails with `SECRET_NOT_FOUND`, `SECRET_INVALID`, `ACCESS_DENIED` or `TIMEOUT`, with `UNAVAILABLE` when the
 * server can't be reached or the connection breaks, and with `BACKEND` for every other error of the server. When the
 * connection broke and the statement may have been carried out all the same, `details.unknownOutcome` is true. `details`
 * of what the server refused has its `sqlstate` and what belongs to it: `detail`, `hint`, `schema`, `table`, `column`,
 * `constraint`, `position` (in UTF-16 units, from 0).
 */
interface GhostSqldb {
  /**
   * All rows of one statement, an object each. Of two columns of one name, the last wins. Fails with `QUERY_SYNTAX` for
   * what is no statement, or several, with `NOT_FOUND` when a table, schema, column or type does not exist, with `CONFLICT`
   * when something exists already or a unique key clashes, and with `LIMIT` when the rows are more than 64 MiB. `BEGIN`, `COMMIT`
   * and their like fail with `QUERY_SYNTAX` too: `transaction` is for that.
   * @param params The values of `$1`, `$2`, ... The server converts each to the type that it needs: string, number, boolean, null, BigInt, Date (in UTC), Uint8Array, array, object (as JSON); NaN and the infinities are numbers of SQL. For `json` and `jsonb` a string is JSON text.
   */
  query<T = any>(conn: string, sql: string, params?: unknown[] | null): Promise<T[]>;

  /**
   * The first row of one statement; null when there is none. Fails as `query` does.
   * @param params The values of `$1`, `$2`, ...
   */
  queryOne<T = any>(conn: string, sql: string, params?: unknown[] | null): Promise<T | null>;

  /**
   * Runs one statement, for what it does. Fails as `query` does.
   * @param params The values of `$1`, `$2`, ...
   */
  execute(conn: string, sql: string, params?: unknown[] | null): Promise<SqlExecuteResult>;

  /**
   * The first column of the first row; null when there is none. Fails as `query` does.
   * @param params The values of `$1`, `$2`, ...
   */
  scalar<T = any>(conn: string, sql: string, params?: unknown[] | null): Promise<T>;

  /**
   * Runs a function in one transaction, which has one connection for itself: what it did is there for others when the
   * function has returned, or its promise is fulfilled, and is undone when it throws or rejects; the same error goes
   * on. Fails with `BACKEND` (SQLSTATE 25P02) when a statement had failed and the function returned all the same: then
   * nothing was done.
   */
  transaction<T>(conn: string, callback: (transaction: SqlTransactionProxy) => T | Promise<T>): Promise<T>;

  /**
   * Runs statements in one transaction: all of them are carried out, or none. Fails as `query` does; `details.statement` is
   * the place of the statement that failed, from 0.
   */
  executeBatch(conn: string, statements: SqlBatchStatement[]): Promise<SqlBatchResult>;

  /**
   * Stores rows by the COPY protocol, faster than by `INSERT`: all of them, or none. `table`, and the names in the options,
   * are the exact names. Fails with `INVALID_ARGUMENT` when a row has too many or too few values, with `NOT_FOUND` when the
   * table or a column does not exist, and with `CONFLICT` when a unique key clashes.
   * @param rows An array of values each, in the order of the columns. They are as in `query`, and are read while they are sent: to be left as they are until the promise has settled.
   */
  copyFrom(conn: string, table: string, rows: unknown[][], options?: SqlCopyFromOptions | null): Promise<SqlCopyResult>;

  /**
   * All rows of a table, a view or a query by the COPY protocol, as text; NULL is null. Fails with `NOT_FOUND` for a lone
   * name that is no table, with `QUERY_SYNTAX`, and with `LIMIT` when the rows are more than 64 MiB.
   * @param query The exact name of a table or view; or a `SELECT`, `WITH`, `VALUES` or `TABLE`.
   */
  copyTo(conn: string, query: string, options?: SqlCopyToOptions | null): Promise<(string | null)[][]>;

  /** The names of the databases of the server that are no templates, ascending. */
  listDatabases(conn: string): Promise<string[]>;

  /** The names of the schemas, ascending. */
  listSchemas(conn: string, options?: SqlSchemaOptions | null): Promise<string[]>;

  /**
   * The tables and views of a schema, or of all but the system's, by schema and name; empty for a schema that does not
   * exist.
   */
  listTables(conn: string, schema?: string | null): Promise<SqlTableInfo[]>;

  /**
   * The columns of a table or view, in its order. Fails with `NOT_FOUND` when it does not exist.
   * @param schema The schema of the table. @default "public"
   */
  describeTable(conn: string, table: string, schema?: string | null): Promise<SqlColumnInfo[]>;

  /**
   * The indexes of a table, by name. Fails with `NOT_FOUND` when it does not exist.
   * @param schema The schema of the table. @default "public"
   */
  listIndexes(conn: string, table: string, schema?: string | null): Promise<SqlIndexInfo[]>;

  /**
   * The primary key, the foreign and unique keys and the checks of a table, by name. Fails with `NOT_FOUND` when it does
   * not exist.
   * @param schema The schema of the table. @default "public"
   */
  listConstraints(conn: string, table: string, schema?: string | null): Promise<SqlConstraintInfo[]>;
}

/**
 * Documents in named collections, kept in the workspace.
 *
 * A collection is there while it holds a document. Its name is 1 to 255 bytes of UTF-8, a key 1 to 2,048 bytes, both
 * without control characters; a document's JSON is at most 16 MiB, and at most 1,000 arrays and objects deep. Every method
 * fails with `INVALID_ARGUMENT` when a name, a key or the data is out of these bounds, with `NO_WORKSPACE` when the run
 * has none, and with `BUSY` when another process holds the workspace for more than 5 s.
 */
interface GhostStore {
  /** Stores `data` under `key`. What was there is replaced; its creation time stays. */
  put(collection: string, key: string, data: unknown): void;

  /** The document stored under `key`; null when there is none. */
  get<T = any>(collection: string, key: string): StoreDoc<T> | null;

  /**
   * The documents of a collection, a page at a time; empty for a collection that does not exist. The cost grows with
   * `offset` + `limit`, not with the collection. Fails with `LIMIT` when the page is larger than 64 MiB. With `after`, the
   * next page is as cheap as the first, whatever came before it; for all documents there is `all`.
   */
  list<T = any>(collection: string, options?: StoreListOptions | null): StoreDoc<T>[];

  /**
   * Every document of a collection by its key: an iterator, for `for (const doc of g.store.all("orders"))`. Documents are
   * read a page at a time, 256 documents or 1 MiB, so a collection of any size can be iterated. A document that is put or
   * deleted meanwhile is returned as it is when its page is read. None is returned twice, and none is missed that exists
   * all the time.
   */
  all<T = any>(collection: string, options?: StoreAllOptions | null): Generator<StoreDoc<T>, void, void>;

  /**
   * Changes a document by a function: reads it, calls the function with its data, and stores what the function returns,
   * unless somebody changed the document meanwhile; then it begins again with what is stored now. So no change is lost,
   * whichever runs and processes update the document. Returns the document as it is stored then; null when it was deleted.
   *
   * The function gets `undefined` when there is no document, and returns `undefined` to delete it. It may be called more
   * than once, and must return its result at once: a promise is refused. Nothing is locked while it runs, so a short one
   * seldom begins again, while a slow one may have to as long as others change the document; the run's time limit ends
   * that. When it throws, nothing is changed and the error goes on. Fails with `CONFLICT` when the document changed 10,000
   * times while the function ran, as it does when the function itself writes it.
   */
  update<T = any>(collection: string, key: string, change: (data: T | undefined) => T | undefined): StoreDoc<T> | null;

  /**
   * The documents of a collection that a query finds: by relevance, best first, or in the order of `sort` where it is
   * given; `asc` turns relevance around. It sees every earlier `put`. Nothing is indexed until a collection is first
   * searched; from then on it is kept up to date. Of one document it looks at as much as `g.search` does. Fails with
   * `QUERY_SYNTAX` when the query is malformed, and with `LIMIT` when it, or the page, is too large, or when the run has not
   * the memory left that a large document takes to be indexed.
   * @param query In Lucene's classic syntax. Terms without a field look in every value; fields are dotted paths (`author.name:ann*`), and `_key` is the key.
   */
  search<T = any>(collection: string, query: string, options?: StoreSearchOptions | null): StoreDoc<T>[];

  /** Deletes the document stored under `key`. True if there was one. */
  delete(collection: string, key: string): boolean;

  /** The number of documents in a collection; 0 for one that does not exist. */
  count(collection: string): number;

  /** Deletes all documents of a collection. */
  clear(collection: string): void;

  /** The names of the collections that hold a document, ascending by their bytes. */
  collections(): string[];
}

/**
 * A work queue with priorities, retries and dead letters, kept in the workspace.
 *
 * An item is pending until it is dequeued, and then checked out: it is to be committed when the work is done, or
 * aborted. An item is never lost, and handed out again when its worker fails, so work may be done twice: at least once.
 *
 * An `id` grows over the whole workspace and names one stay: an item that goes back to pending, or becomes a dead
 * letter, gets a new one. So a late worker can't commit what somebody else has by now.
 *
 * A checkout has a lease, which the host renews while the run that took it lives. A lease that runs out counts as an
 * abort with the error "lease expired". A run that fails or is stopped aborts what it has checked out, with the
 * failure's message; one that ends well leaves it checked out, to be committed by a later run or to expire.
 *
 * A queue is there while it holds an item in any state. Its name is 1 to 255 bytes of UTF-8 without control characters;
 * an item's JSON is at most 16 MiB, and at most 1,000 arrays and objects deep. Every method fails with `INVALID_ARGUMENT`
 * when a name or the data is out of these bounds, with `NO_WORKSPACE` when the run has none, and with `BUSY` when
 * another process holds the workspace for more than 5 s.
 */
interface GhostQueue {
  /** Adds an item to a queue. */
  enqueue(name: string, data: unknown, options?: QueueEnqueueOptions | null): void;

  /**
   * Checks out the next item: the highest priority first, then the one that came first. Null when none is pending. Adds
   * 1 to its `attempts`.
   */
  dequeue<T = any>(name: string, options?: QueueDequeueOptions | null): QueueItem<T> | null;

  /**
   * The work is done: the item is gone. Fails with `NOT_FOUND` when the checkout is not live, and says whether it
   * expired.
   * @param checkoutId The `id` of the item that was dequeued.
   */
  commit(checkoutId: number): void;

  /**
   * The work failed. The item goes back to the tail of its priority; after more than `maxRetries` retries it becomes a
   * dead letter. False when the checkout is not live, and nothing happens.
   * @param checkoutId The `id` of the item that was dequeued.
   * @param error Why, kept as `lastError`; without it, `lastError` is cleared.
   */
  abort(checkoutId: number, error?: string | Error | null): boolean;

  /** The item that `dequeue` would give, without checking it out; null when none is pending. */
  peek<T = any>(name: string): QueueItem<T> | null;

  /** The number of pending items. */
  count(name: string): number;

  /** Deletes all items of a queue: pending, checked out and dead. */
  clear(name: string): void;

  /**
   * The pending items in the order of `dequeue`, a page at a time. The cost grows with `offset` + `limit`, not with the
   * queue. Fails with `LIMIT` when the page is larger than 64 MiB.
   */
  list<T = any>(name: string, options?: QueueListOptions | null): QueueItem<T>[];

  /** The names of the queues that hold an item in any state, ascending by their bytes. */
  queues(): string[];

  /** The dead letters of a queue, oldest first, a page at a time. Fails with `LIMIT` when the page is larger than 64 MiB. */
  deadLetter<T = any>(name: string, options?: QueueListOptions | null): DeadLetterItem<T>[];

  /**
   * Sends a dead letter back to pending with a new id and no `attempts`; `enqueuedAt` and `lastError` stay. Fails with
   * `NOT_FOUND` when the queue has no such dead letter.
   * @param deadLetterId The `id` of the dead letter.
   */
  retry(name: string, deadLetterId: number): void;

  /**
   * Checks out the next item as `dequeue` does, and waits for one when none is pending; null when the time is over.
   * Sees items of other runs and other processes within 100 ms. Of several waiters each gets a different item. When
   * `main` has settled, nobody waits any more. A wait that is to end early needs `timeoutMs`: one that lost a
   * `Promise.race` goes on, and the item that it takes stays checked out until its lease ends. Fails with `LIMIT` when
   * the run waits 1,024 times already.
   */
  waitForItem<T = any>(name: string, options?: QueueWaitOptions | null): Promise<QueueItem<T> | null>;
}

/**
 * Full-text search over documents that are flat maps of fields, kept in the workspace.
 *
 * A document is named by its collection (1 to 255 bytes of UTF-8) and its key (1 to 2,048 bytes), both without control
 * characters; its JSON is at most 16 MiB. Every method fails with `INVALID_ARGUMENT` when something is out of these
 * bounds, with `NO_WORKSPACE` when the run has none, and with `BUSY` when another process holds the workspace for more
 * than 5 s.
 *
 * Of one document, queries look at its first 500,000 values, its first 2,000,000 words, 100,000 different words (the same
 * word in another field is another one) and 10,000 fields; values of further fields are found without a field. So a
 * document of any content is indexed in seconds, and in the memory of any run.
 */
interface GhostSearch {
  /**
   * Adds a document; one with the same `_collection` and `_key` is replaced.
   * @param fields An object with `_key`, `_collection` and fields of any name. A value is a string, a number, a boolean, a Date (its ISO text) or an array of these; null and undefined are skipped, a nested object is refused.
   */
  index(fields: unknown): void;

  /**
   * The documents that a query finds, best first; ties by collection, then by key. It sees every earlier `index` and
   * `delete` of every process. Fails with `QUERY_SYNTAX` when the query is malformed, and with `LIMIT` when it, or what
   * it would give, is too large.
   * @param queryString In Lucene's classic syntax. Terms without a field look in every field.
   */
  query(queryString: string, options?: SearchOptions | null): SearchResult[];

  /** Removes a document; it need not be there. */
  delete(collection: string, key: string): void;

  /** Removes all documents of a collection, and gives their number. */
  deleteByCollection(collection: string): number;

  /**
   * The number of documents.
   * @param collection The one collection to count; without it, all.
   */
  count(collection?: string | null): number;

  /** Removes all documents. */
  clear(): void;
}

/** What a statement that changes something did. */
interface SqlExecuteResult {
  /** How many rows were inserted, updated or deleted; of a `SELECT`, how many it found. */
  rowsAffected: number;
}

/** A statement of a batch. */
interface SqlBatchStatement {
  /** One statement. */
  sql: string;
  /** The values of `$1`, `$2`, ... */
  params?: unknown[] | null;
}

/** What a batch did. */
interface SqlBatchResult {
  /** In the order of the statements. */
  results: SqlExecuteResult[];
}

/** Where copied rows go. */
interface SqlCopyFromOptions {
  /**
   * The columns that the values of a row are for, in their order; those of the table that are not generated when it is
   * left out.
   */
  columns?: string[] | null;
  /**
   * The schema of the table.
   * @default "public"
   */
  schema?: string | null;
}

/** What a copy did. */
interface SqlCopyResult {
  /** How many rows were stored. */
  rowsCopied: number;
}

/** What is copied. */
interface SqlCopyToOptions {
  /**
   * The schema of the table, when a table is named.
   * @default "public"
   */
  schema?: string | null;
}

/** Which schemas are listed. */
interface SqlSchemaOptions {
  /**
   * With those of the server itself.
   * @default false
   */
  includeSystem?: boolean | null;
}

/** A table or a view. */
interface SqlTableInfo {
  /** Its name. */
  name: string;
  /** Its schema. */
  schema: string;
  /** A materialized view is a view, a foreign table a table. */
  type: "table" | "view";
  /** As the catalogue has it since the last `ANALYZE`; 0 before. */
  estimatedRows: number;
}

/** A column of a table. */
interface SqlColumnInfo {
  /** Its name. */
  name: string;
  /** As SQL names it, without its length: `integer`, `character varying`, `timestamp with time zone`. */
  type: string;
  /** Whether it takes NULL. */
  nullable: boolean;
  /** The expression of its default; null when there is none, and for a generated column. */
  defaultValue: string | null;
  /** Whether it is part of the primary key. */
  isPrimaryKey: boolean;
  /** The most characters of a `character` or `character varying` that has a length; else null. */
  maxLength: number | null;
}

/** An index of a table. */
interface SqlIndexInfo {
  /** Its name. */
  name: string;
  /** What it is ordered by: columns, or expressions. */
  columns: string[];
  /** Whether it refuses a second row of one key. */
  isUnique: boolean;
  /** Whether it belongs to the primary key. */
  isPrimary: boolean;
  /** The statement that makes it. */
  definition: string;
}

/** A constraint of a table. */
interface SqlConstraintInfo {
  /** Its name. */
  name: string;
  /** `PRIMARY KEY`, `FOREIGN KEY`, `UNIQUE` or `CHECK`. */
  type: string;
  /** The names of its columns, with a comma and a space between them. */
  columns: string;
  /** As it stands in a `CREATE TABLE`. */
  definition: string;
}

/** A document and when it was written. */
interface StoreDoc<T = any> {
  /** The key within the collection. */
  key: string;
  /** The value that was stored. */
  data: T;
  /** When a document was first stored under this key. */
  createdAt: string;
  /** When it was last stored. */
  updatedAt: string;
}

/** Which documents a list holds, and in what order. */
interface StoreListOptions {
  /**
   * How many documents at the most.
   * @default 100
   */
  limit?: number | null;
  /**
   * How many documents are passed over before the first.
   * @default 0
   */
  offset?: number | null;
  /**
   * Ties of times follow the order of writing, reversed under `desc`. Keys are compared by their bytes.
   * @default "updatedAt"
   */
  sort?: "key" | "createdAt" | "updatedAt" | null;
  /**
   * Ascending or descending.
   * @default "desc"
   */
  order?: "asc" | "desc" | null;
  /** Only documents whose keys begin with this. It needs `sort: "key"`. */
  prefix?: string | null;
  /**
   * Only documents whose keys follow this one in the list's order: behind it, or before it under `desc`. The key itself
   * need not exist. It needs `sort: "key"`.
   */
  after?: string | null;
}

/** Which documents an iteration returns, and in what order. */
interface StoreAllOptions {
  /** Only documents whose keys begin with this. */
  prefix?: string | null;
  /**
   * Only documents whose keys follow this one in the order of the iteration: behind it, or before it under `desc`. The
   * key itself need not exist.
   */
  after?: string | null;
  /**
   * Ascending or descending, by the bytes of the keys.
   * @default "asc"
   */
  order?: "asc" | "desc" | null;
}

/** Which documents a search returns, and in what order. */
interface StoreSearchOptions {
  /**
   * How many documents at the most.
   * @default 100
   */
  limit?: number | null;
  /**
   * How many documents are passed over before the first.
   * @default 0
   */
  offset?: number | null;
  /** By relevance without it. */
  sort?: "key" | "createdAt" | "updatedAt" | null;
  /**
   * Ascending or descending; by relevance, `desc` is best first.
   * @default "desc"
   */
  order?: "asc" | "desc" | null;
}

/** How an item is queued. */
interface QueueEnqueueOptions {
  /**
   * 0 is low, 1 normal, 2 high. Higher ones come first, equal ones in the order in which they came.
   * @default 1
   */
  priority?: 0 | 1 | 2 | null;
  /**
   * How often the item is tried again after its first try has failed, before it becomes a dead letter.
   * @default 3
   */
  maxRetries?: number | null;
}

/** How an item is checked out. */
interface QueueDequeueOptions {
  /**
   * How long the item stays checked out when nobody renews the lease, in milliseconds.
   * From 1000 to 86400000.
   * @default 300000
   */
  leaseMs?: number | null;
}

/** An item of a queue. */
interface QueueItem<T = any> {
  /** Names this stay in the queue; of an item that is checked out, the checkout. */
  id: number;
  /** What was enqueued. */
  data: T;
  /** 0 is low, 1 normal, 2 high. */
  priority: 0 | 1 | 2;
  /** How often it was handed out. */
  attempts: number;
  /** How often it is tried again after its first try has failed. */
  maxRetries: number;
  /** When it was enqueued. */
  enqueuedAt: string;
  /** When it was last handed out. */
  lastAttemptAt?: string;
  /** Why the last try failed: its first 8,192 bytes. */
  lastError?: string;
}

/** Which items a list holds. */
interface QueueListOptions {
  /**
   * How many items at the most.
   * @default 100
   */
  limit?: number | null;
  /**
   * How many items are passed over before the first.
   * @default 0
   */
  offset?: number | null;
}

/** An item that failed for good. */
interface DeadLetterItem<T = any> {
  /** What `retry` takes. */
  id: number;
  /** What was enqueued. */
  data: T;
  /** 0 is low, 1 normal, 2 high. */
  priority: 0 | 1 | 2;
  /** How often it was handed out. */
  attempts: number;
  /** How often it was to be tried again after its first try had failed. */
  maxRetries: number;
  /** When it was enqueued. */
  enqueuedAt: string;
  /** When it was last handed out. */
  lastAttemptAt?: string;
  /** Why the last try failed: its first 8,192 bytes. */
  lastError?: string;
  /** When it became a dead letter. */
  deadLetteredAt: string;
}

/** How an item is waited for. */
interface QueueWaitOptions {
  /** How long to wait, in milliseconds; 0 looks once. Without it, until the run's own limit. */
  timeoutMs?: number | null;
  /**
   * How long the item stays checked out when nobody renews the lease, in milliseconds.
   * From 1000 to 86400000.
   * @default 300000
   */
  leaseMs?: number | null;
}

/** Which documents a query looks at, and which of those that it finds it gives. */
interface SearchOptions {
  /** The one collection to look in; without it, all. */
  collection?: string | null;
  /**
   * How many results at the most.
   * @default 100
   */
  limit?: number | null;
  /**
   * How many results are passed over before the first.
   * @default 0
   */
  offset?: number | null;
}

/** A document that was found. */
interface SearchResult {
  /** The `_key` of the document. */
  key: string;
  /** The `_collection` of the document. */
  collection: string;
  /** How well it fits: more is better. */
  score: number;
  /** Every other field as text: strings as they are, numbers and booleans as JavaScript prints them, arrays as JSON. */
  fields: Record<string, string>;
}

/**
 * A transaction, while the callback of `g.sqldb.transaction` has it. When the callback has ended, each of its methods
 * fails with `NOT_FOUND`. `BEGIN`, `COMMIT` and their like are refused in it; savepoints are not.
 */
interface SqlTransactionProxy {
  /**
   * All rows of one statement.
   * @param params The values of `$1`, `$2`, ...
   */
  query<T = any>(sql: string, params?: unknown[] | null): Promise<T[]>;

  /**
   * The first row of one statement; null when there is none.
   * @param params The values of `$1`, `$2`, ...
   */
  queryOne<T = any>(sql: string, params?: unknown[] | null): Promise<T | null>;

  /**
   * Runs one statement, for what it does.
   * @param params The values of `$1`, `$2`, ...
   */
  execute(sql: string, params?: unknown[] | null): Promise<SqlExecuteResult>;

  /**
   * The first column of the first row; null when there is none.
   * @param params The values of `$1`, `$2`, ...
   */
  scalar<T = any>(sql: string, params?: unknown[] | null): Promise<T>;
}

/** Why a call failed. */
type ErrorCode =
  /** An argument, name, key or value that is not allowed. */
  | "INVALID_ARGUMENT"
  /** The run has no workspace, or it can't be opened. */
  | "NO_WORKSPACE"
  /** The origin of the script does not allow this method. */
  | "BLOCKED"
  /** `conn` names no secret. */
  | "SECRET_NOT_FOUND"
  /** The secret can't be read as what the namespace needs. */
  | "SECRET_INVALID"
  /** What was named does not exist. */
  | "NOT_FOUND"
  /** It exists already, or a unique key or a version clashed. */
  | "CONFLICT"
  /** A query can't be parsed. */
  | "QUERY_SYNTAX"
  /** The remote system refused the identity or the permission. */
  | "ACCESS_DENIED"
  /** A path outside the allowed folder, or no regular file. */
  | "PATH_DENIED"
  /** The remote system can't be reached, or the connection broke. */
  | "UNAVAILABLE"
  /** The call's own deadline passed. */
  | "TIMEOUT"
  /** A limit of a query, a result or a buffer. */
  | "LIMIT"
  /** Another process held the workspace for longer than the busy time-out. */
  | "BUSY"
  /** Bytes that are not what the method returns. */
  | "DATA"
  /** The remote system answered with an error that fits nothing above. */
  | "BACKEND"
  /** A fault of the host. */
  | "INTERNAL";

/** Thrown when a call of `g` fails, but for an argument that is not allowed: that is a TypeError or a RangeError. */
declare class GError extends Error {
  private constructor();
  readonly name: "GError";
  /** What to act on. */
  readonly code: Exclude<ErrorCode, "INVALID_ARGUMENT">;
  /** The namespace that was called: `store`. */
  readonly namespace: string;
  /** The method that was called: `put`. */
  readonly method: string;
  /** More to act on. */
  readonly details?: { readonly [name: string]: any };
}

interface TypeError {
  /** On an error that `g` threw: an argument is of the wrong kind. */
  readonly code?: "INVALID_ARGUMENT";
  readonly namespace?: string;
  readonly method?: string;
}

interface RangeError {
  /** On an error that `g` threw: an argument is out of its bounds. */
  readonly code?: "INVALID_ARGUMENT";
  readonly namespace?: string;
  readonly method?: string;
  readonly details?: { readonly [name: string]: any };
}

/** Lines on standard error. */
interface Console {
  log(...data: any[]): void;
  info(...data: any[]): void;
  warn(...data: any[]): void;
  error(...data: any[]): void;
  debug(...data: any[]): void;
  /** Shows rows of objects as a table. */
  table(data?: any, columns?: string[]): void;
  /** Writes an error line unless `condition` holds. */
  assert(condition?: boolean, ...data: any[]): void;
  /** Starts a clock. */
  time(label?: string): void;
  /** Stops a clock and shows what it measured. */
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

/** A deep copy: also of Map, Set, Date, RegExp, Error, typed arrays and cycles. */
declare function structuredClone<T>(value: T): T;

/** Bytes in Base64 (each character stands for a byte) to text of such characters. */
declare function atob(data: string): string;
/** Text, of which each character stands for a byte, to Base64. */
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
  /** A random UUID of version 4. */
  randomUUID(): `${string}-${string}-${string}-${string}-${string}`;
  /** Fills the array with random values, and gives it. */
  getRandomValues<T extends ArrayBufferView>(array: T): T;
}
declare var crypto: Crypto;

interface Performance {
  /** Milliseconds since the run started, with fractions. */
  now(): number;
}
declare var performance: Performance;
