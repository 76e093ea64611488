export async function main() {
  let message;
  try {
    await g.sqldb.query("db", "select * from case_missing");
  } catch (error) {
    message = error.message;
    assert.match(error.stack, /a_failing_call_can_be_caught\.js:4/);
  }
  assert.equal(message, 'relation "case_missing" does not exist');
}
