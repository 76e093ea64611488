//! What the server's catalogue tells of databases, schemas and tables. Names go as values.

use serde_json::json;
use tokio_postgres::{
    Row,
    types::{FromSqlOwned, Oid, ToSql},
};

use super::{
    connection::Connection,
    name::{PUBLIC, check},
    value::shown,
};
use crate::{Error, ErrorCode};

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
  ARRAY(SELECT coalesce(a.attname::text, pg_catalog.pg_get_indexdef(i.indexrelid, k, true))
        FROM pg_catalog.generate_series(1, i.indnkeyatts::int) k
        LEFT JOIN pg_catalog.pg_attribute a
          ON a.attrelid = i.indrelid AND a.attnum = i.indkey[k - 1] AND i.indkey[k - 1] <> 0
        ORDER BY k),
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
    pub(super) async fn databases(&mut self) -> Result<Vec<String>, Error> {
        self.catalogue(DATABASES, &[], |row| get(row, 0)).await
    }

    pub(super) async fn schemas(&mut self, system: bool) -> Result<Vec<String>, Error> {
        self.catalogue(SCHEMAS, &[&system], |row| get(row, 0)).await
    }

    /// Those of a schema; without one, of all but the system's.
    pub(super) async fn tables(&mut self, schema: Option<&str>) -> Result<Vec<Table>, Error> {
        schema.map_or(Ok(()), |schema| check("schema", schema))?;
        let read = |row: &Row| {
            let estimated_rows = u64::try_from(get::<i64>(row, 3)?).map_err(Error::internal)?;
            Ok(Table { name: get(row, 0)?, schema: get(row, 1)?, is_view: get(row, 2)?, estimated_rows })
        };
        self.catalogue(TABLES, &[&schema], read).await
    }

    pub(super) async fn columns(&mut self, schema: Option<&str>, table: &str) -> Result<Vec<Column>, Error> {
        let table = self.table(schema, table).await?;
        let read = |row: &Row| {
            Ok(Column {
                name: get(row, 0)?,
                ty: get(row, 1)?,
                nullable: get(row, 2)?,
                default: get(row, 3)?,
                is_primary_key: get(row, 4)?,
                max_length: get(row, 5)?,
            })
        };
        self.catalogue(COLUMNS, &[&table], read).await
    }

    pub(super) async fn indexes(&mut self, schema: Option<&str>, table: &str) -> Result<Vec<Index>, Error> {
        let table = self.table(schema, table).await?;
        let read = |row: &Row| {
            Ok(Index {
                name: get(row, 0)?,
                columns: get(row, 1)?,
                is_unique: get(row, 2)?,
                is_primary: get(row, 3)?,
                definition: get(row, 4)?,
            })
        };
        self.catalogue(INDEXES, &[&table], read).await
    }

    pub(super) async fn constraints(&mut self, schema: Option<&str>, table: &str) -> Result<Vec<Constraint>, Error> {
        let table = self.table(schema, table).await?;
        let read = |row: &Row| {
            let (name, ty) = (get(row, 0)?, get(row, 1)?);
            Ok(Constraint { name, ty, columns: get(row, 2)?, definition: get(row, 3)? })
        };
        self.catalogue(CONSTRAINTS, &[&table], read).await
    }

    /// The columns that values can be stored in.
    pub(super) async fn writable_columns(&mut self, table: Oid) -> Result<Vec<String>, Error> {
        self.catalogue(WRITABLE_COLUMNS, &[&table], |row| get(row, 0)).await
    }

    /// A table or view.
    ///
    /// Fails with `not-found` when there is none of this name.
    pub(super) async fn table(&mut self, schema: Option<&str>, table: &str) -> Result<Oid, Error> {
        let found = self.find_table(schema, table).await?;
        found.ok_or_else(|| no_table(schema, table))
    }

    /// A table or view, if it is there.
    pub(super) async fn find_table(&mut self, schema: Option<&str>, table: &str) -> Result<Option<Oid>, Error> {
        let schema = schema.unwrap_or(PUBLIC);
        check("schema", schema)?;
        check("table", table)?;
        Ok(self.catalogue(TABLE, &[&schema, &table], |row| get(row, 0)).await?.pop())
    }

    async fn catalogue<T>(
        &mut self,
        sql: &str,
        values: &[&(dyn ToSql + Sync)],
        read: impl Fn(&Row) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let prepared = self.prepare(sql).await?;
        self.busy = true;
        match self.client.query(&prepared.statement, values).await {
            Ok(rows) => {
                self.busy = false;
                rows.iter().map(read).collect()
            }
            Err(error) => Err(self.failed(&error, None, false)),
        }
    }
}

pub(super) fn no_table(schema: Option<&str>, table: &str) -> Error {
    let schema = schema.unwrap_or(PUBLIC);
    let message = format!("there is no table or view {} in the schema {}", shown(table), shown(schema));
    Error::new(ErrorCode::NotFound, message).detailed(Some(json!({ "schema": schema, "table": table })))
}

fn get<T: FromSqlOwned>(row: &Row, at: usize) -> Result<T, Error> {
    row.try_get(at).map_err(Error::internal)
}
