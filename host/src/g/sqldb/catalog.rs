//! Reads databases, schemas and tables from the server's catalogue. Names are passed as parameters.

use serde_json::json;

use super::{
    connection::{Connection, OutcomeIfBroken},
    name::{PUBLIC, check},
    value::shown,
    wire::{DataRow, Execution, take_value},
};
use crate::{Error, ErrorCode, gate::ByteCounter};

/// A table or view.
pub(super) struct Table {
    pub(super) name: String,
    pub(super) schema: String,
    pub(super) is_view: bool,
    pub(super) estimated_rows: u64,
}

/// A column of a table.
pub(super) struct Column {
    pub(super) name: String,
    pub(super) ty: String,
    pub(super) nullable: bool,
    pub(super) default: Option<String>,
    pub(super) is_primary_key: bool,
    pub(super) max_length: Option<i32>,
}

/// An index of a table.
pub(super) struct Index {
    pub(super) name: String,
    pub(super) columns: Vec<String>,
    pub(super) is_unique: bool,
    pub(super) is_primary: bool,
    pub(super) definition: String,
}

/// A constraint of a table.
pub(super) struct Constraint {
    pub(super) name: String,
    pub(super) ty: String,
    pub(super) columns: String,
    pub(super) definition: String,
}

impl Table {
    fn read(row: &mut Fields<'_>) -> Result<Self, Error> {
        Ok(Self { name: row.text()?, schema: row.text()?, is_view: row.is_true()?, estimated_rows: row.number()? })
    }
}

impl Column {
    fn read(row: &mut Fields<'_>) -> Result<Self, Error> {
        Ok(Self {
            name: row.text()?,
            ty: row.text()?,
            nullable: row.is_true()?,
            default: row.next()?.map(str::to_owned),
            is_primary_key: row.is_true()?,
            max_length: row.next()?.map(parsed).transpose()?,
        })
    }
}

impl Index {
    fn read(row: &mut Fields<'_>) -> Result<Self, Error> {
        Ok(Self {
            name: row.text()?,
            columns: serde_json::from_str(row.required()?).map_err(|_| malformed())?,
            is_unique: row.is_true()?,
            is_primary: row.is_true()?,
            definition: row.text()?,
        })
    }
}

impl Constraint {
    fn read(row: &mut Fields<'_>) -> Result<Self, Error> {
        Ok(Self { name: row.text()?, ty: row.text()?, columns: row.text()?, definition: row.text()? })
    }
}

const DATABASES: &str = "SELECT datname::text FROM pg_catalog.pg_database WHERE NOT datistemplate ORDER BY datname";

const SCHEMAS: &str = "
SELECT nspname::text FROM pg_catalog.pg_namespace
WHERE $1 OR (nspname !~ '^pg_' AND nspname <> 'information_schema')
ORDER BY nspname";

const TABLES: &str = "
SELECT c.relname::text, n.nspname::text, c.relkind IN ('v', 'm'), least(greatest(c.reltuples, 0), 9e15)::int8
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm')
  AND CASE WHEN $1::text IS NULL THEN n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' ELSE n.nspname = $1 END
ORDER BY n.nspname, c.relname";

const TABLE: &str = "
SELECT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1::text AND c.relname = $2::text AND c.relkind IN ('r', 'p', 'f', 'v', 'm')";

/// 1042 and 1043 are `character` and `character varying`; 4 of their modifier are not the length.
const COLUMNS: &str = "
SELECT a.attname::text, pg_catalog.format_type(a.atttypid, NULL),
  NOT (a.attnotnull OR t.typtype = 'd' AND t.typnotnull),
  CASE WHEN a.attgenerated = '' THEN pg_catalog.pg_get_expr(d.adbin, d.adrelid) END,
  EXISTS (SELECT FROM pg_catalog.pg_index i
          WHERE i.indrelid = a.attrelid AND i.indisprimary AND a.attnum = ANY (i.indkey)),
  CASE WHEN a.atttypid IN (1042, 1043) AND a.atttypmod > 4 THEN a.atttypmod - 4 END
FROM pg_catalog.pg_attribute a
JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum";

const WRITABLE_COLUMNS: &str = "
SELECT attname::text FROM pg_catalog.pg_attribute
WHERE attrelid = $1 AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
ORDER BY attnum";

const INDEXES: &str = "
SELECT c.relname::text,
  pg_catalog.to_json(ARRAY(
    SELECT coalesce(a.attname::text, pg_catalog.pg_get_indexdef(i.indexrelid, k, true))
    FROM pg_catalog.generate_series(1, i.indnkeyatts::int) k
    LEFT JOIN pg_catalog.pg_attribute a
      ON a.attrelid = i.indrelid AND a.attnum = i.indkey[k - 1] AND i.indkey[k - 1] <> 0
    ORDER BY k)),
  i.indisunique, i.indisprimary, pg_catalog.pg_get_indexdef(i.indexrelid)
FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
WHERE i.indrelid = $1
ORDER BY c.relname";

const CONSTRAINTS: &str = "
SELECT c.conname::text,
  CASE c.contype WHEN 'p' THEN 'PRIMARY KEY' WHEN 'f' THEN 'FOREIGN KEY' WHEN 'u' THEN 'UNIQUE' ELSE 'CHECK' END,
  coalesce((SELECT pg_catalog.string_agg(a.attname::text, ', ' ORDER BY k.place)
            FROM pg_catalog.unnest(c.conkey) WITH ORDINALITY k (number, place)
            JOIN pg_catalog.pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.number), ''),
  pg_catalog.pg_get_constraintdef(c.oid)
FROM pg_catalog.pg_constraint c
WHERE c.conrelid = $1 AND c.contype IN ('p', 'f', 'u', 'c')
ORDER BY c.conname";

impl Connection {
    pub(super) async fn databases(&mut self, counter: &mut ByteCounter) -> Result<Vec<String>, Error> {
        self.catalogue(DATABASES, &[], counter, |row| row.text()).await
    }

    pub(super) async fn schemas(&mut self, system: bool, counter: &mut ByteCounter) -> Result<Vec<String>, Error> {
        let system = if system { "true" } else { "false" };
        self.catalogue(SCHEMAS, &[Some(system)], counter, |row| row.text()).await
    }

    /// Those of a schema; without one, of all but the system's.
    pub(super) async fn tables(
        &mut self,
        schema: Option<&str>,
        counter: &mut ByteCounter,
    ) -> Result<Vec<Table>, Error> {
        schema.map_or(Ok(()), |schema| check("schema", schema))?;
        self.catalogue(TABLES, &[schema], counter, Table::read).await
    }

    pub(super) async fn columns(
        &mut self,
        schema: Option<&str>,
        table: &str,
        counter: &mut ByteCounter,
    ) -> Result<Vec<Column>, Error> {
        self.of_table(COLUMNS, schema, table, counter, Column::read).await
    }

    pub(super) async fn indexes(
        &mut self,
        schema: Option<&str>,
        table: &str,
        counter: &mut ByteCounter,
    ) -> Result<Vec<Index>, Error> {
        self.of_table(INDEXES, schema, table, counter, Index::read).await
    }

    pub(super) async fn constraints(
        &mut self,
        schema: Option<&str>,
        table: &str,
        counter: &mut ByteCounter,
    ) -> Result<Vec<Constraint>, Error> {
        self.of_table(CONSTRAINTS, schema, table, counter, Constraint::read).await
    }

    /// The columns that values can be stored in.
    pub(super) async fn writable_columns(
        &mut self,
        table: String,
        counter: &mut ByteCounter,
    ) -> Result<Vec<String>, Error> {
        self.catalogue(WRITABLE_COLUMNS, &[Some(&table)], counter, |row| row.text()).await
    }

    /// The number of a table or view.
    ///
    /// Fails with `not-found` when there is none of this name.
    pub(super) async fn table(
        &mut self,
        schema: Option<&str>,
        table: &str,
        counter: &mut ByteCounter,
    ) -> Result<String, Error> {
        let found = self.find_table(schema, table, counter).await?;
        found.ok_or_else(|| no_table(schema, table))
    }

    /// The number of a table or view, if it is there.
    pub(super) async fn find_table(
        &mut self,
        schema: Option<&str>,
        table: &str,
        counter: &mut ByteCounter,
    ) -> Result<Option<String>, Error> {
        let schema = schema.unwrap_or(PUBLIC);
        check("schema", schema)?;
        check("table", table)?;
        Ok(self.catalogue(TABLE, &[Some(schema), Some(table)], counter, |row| row.text()).await?.pop())
    }

    /// What a statement of ours says of a table.
    async fn of_table<T>(
        &mut self,
        sql: &str,
        schema: Option<&str>,
        table: &str,
        counter: &mut ByteCounter,
        read: impl Fn(&mut Fields<'_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let table = self.table(schema, table, counter).await?;
        self.catalogue(sql, &[Some(&table)], counter, read).await
    }

    /// Runs a statement of ghost's own. Its rows are text.
    async fn catalogue<T>(
        &mut self,
        sql: &str,
        values: &[Option<&str>],
        counter: &mut ByteCounter,
        read: impl Fn(&mut Fields<'_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let execution = Execution { sql, types: &[], values, formats: &[] };
        self.request(None, OutcomeIfBroken::NoEffect, async |client| client.execute(&execution).await).await?;
        let mut rows = Vec::new();
        let if_broken = OutcomeIfBroken::NoEffect;
        while let Some(row) =
            self.request(None, if_broken, async |client| client.row(Some(&mut *counter)).await).await?
        {
            // The row, and the strings that are made of it.
            counter.grow(row.values().len() + row.columns * FIELD)?;
            rows.push(read(&mut Fields::of(&row))?);
        }
        Ok(rows)
    }
}

/// The memory of a field in addition to its text, in bytes: a `String`, and the allocator's overhead.
const FIELD: usize = 64;

/// The fields of a row, one after the other.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn of(row: &'a DataRow) -> Self {
        Self(row.values())
    }

    fn next(&mut self) -> Result<Option<&'a str>, Error> {
        let value = take_value(&mut self.0).map_err(|_| malformed())?;
        value.map(|raw| std::str::from_utf8(raw).map_err(|_| malformed())).transpose()
    }

    fn required(&mut self) -> Result<&'a str, Error> {
        self.next()?.ok_or_else(malformed)
    }

    fn text(&mut self) -> Result<String, Error> {
        Ok(self.required()?.to_owned())
    }

    fn is_true(&mut self) -> Result<bool, Error> {
        Ok(self.required()? == "t")
    }

    fn number<N: std::str::FromStr>(&mut self) -> Result<N, Error> {
        parsed(self.required()?)
    }
}

fn parsed<N: std::str::FromStr>(text: &str) -> Result<N, Error> {
    text.parse().map_err(|_| malformed())
}

fn malformed() -> Error {
    Error::new(ErrorCode::Unavailable, "protocol error: the server's catalog has an unexpected format")
}

pub(super) fn no_table(schema: Option<&str>, table: &str) -> Error {
    let schema = schema.unwrap_or(PUBLIC);
    let message = format!("there is no table or view {} in the schema {}", shown(table), shown(schema));
    Error::new(ErrorCode::NotFound, message).detailed(Some(json!({ "schema": schema, "table": table })))
}
