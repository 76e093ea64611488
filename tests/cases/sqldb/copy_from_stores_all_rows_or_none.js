export async function main() {
  await g.sqldb.execute("db", "drop table if exists case_copy_none");
  await g.sqldb.execute("db", "create table case_copy_none (id int primary key, t text)");
  const refused = async (rows, expected) => {
    await assert.rejects(g.sqldb.copyFrom("db", "case_copy_none", rows), expected);
    assert.equal(await g.sqldb.scalar("db", "select count(*)::int from case_copy_none"), 0);
  };
  await refused([[1, "a"], [2]], {
    name: "RangeError",
    code: "INVALID_ARGUMENT",
    message: "rows[1] has 1 value, the rows are stored in 2 columns: id, t",
  });
  await refused(
    [
      [1, "a"],
      [2, "b", 3],
    ],
    { message: "rows[1] has 3 values, the rows are stored in 2 columns: id, t" },
  );
  await refused([[1, "a"], "row"], {
    name: "TypeError",
    message: "rows[1] must be an array, not a string",
  });
  await refused([[1, "a"], []], { name: "RangeError", message: "rows[1] has no values" });
  await refused(
    [
      [1, "a"],
      [
        2,
        {
          toJSON() {
            throw new Error("mine");
          },
        },
      ],
    ],
    { name: "Error", message: "mine" },
  );
  await refused(
    [
      [1, "a"],
      [2, undefined],
    ],
    { name: "TypeError", message: /^rows\[1\]\[1\] must be/ },
  );
  await refused(
    [
      [1, "a"],
      [1, "b"],
    ],
    { code: "CONFLICT" },
  );
  await refused(
    [
      [1, "a"],
      ["x", "b"],
    ],
    { code: "BACKEND", message: /invalid input syntax for type integer/ },
  );
  const many = Array.from({ length: 20000 }, (_, i) => [i, "x".repeat(20)]);
  many[19999][0] = "x";
  await refused(many, { code: "BACKEND" });
}
