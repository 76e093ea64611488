export async function main() {
  await g.sqldb.execute("db", "drop table if exists case_orders, case_people");
  await g.sqldb.execute(
    "db",
    "create table case_people (id int primary key, mail text unique, age int constraint " +
      "case_age check (age > 0))",
  );
  await g.sqldb.execute(
    "db",
    "create table case_orders (a int, b int, person int references case_people, primary key " +
      "(b, a))",
  );
  await g.sqldb.execute(
    "db",
    "create index case_orders_lower on case_orders (abs(a) desc, person)",
  );
  assert.deepEqual(await g.sqldb.listIndexes("db", "case_orders"), [
    {
      name: "case_orders_lower",
      columns: ["abs(a)", "person"],
      isUnique: false,
      isPrimary: false,
      definition:
        "CREATE INDEX case_orders_lower ON public.case_orders USING btree (abs(a) DESC, person)",
    },
    {
      name: "case_orders_pkey",
      columns: ["b", "a"],
      isUnique: true,
      isPrimary: true,
      definition: "CREATE UNIQUE INDEX case_orders_pkey ON public.case_orders USING btree (b, a)",
    },
  ]);
  assert.deepEqual(await g.sqldb.listConstraints("db", "case_orders"), [
    {
      name: "case_orders_person_fkey",
      type: "FOREIGN KEY",
      columns: "person",
      definition: "FOREIGN KEY (person) REFERENCES case_people(id)",
    },
    {
      name: "case_orders_pkey",
      type: "PRIMARY KEY",
      columns: "b, a",
      definition: "PRIMARY KEY (b, a)",
    },
  ]);
  assert.deepEqual(
    (await g.sqldb.listConstraints("db", "case_people")).map(({ name, type, columns }) => [
      name,
      type,
      columns,
    ]),
    [
      ["case_age", "CHECK", "age"],
      ["case_people_mail_key", "UNIQUE", "mail"],
      ["case_people_pkey", "PRIMARY KEY", "id"],
    ],
  );
  for (const method of ["listIndexes", "listConstraints"]) {
    await assert.rejects(g.sqldb[method]("db", "case_no_such_table"), {
      code: "NOT_FOUND",
      method,
    });
  }
}
