// ghost run --dir scripts scripts/mirror.js up data/packages.csv
//
// Keeps copies of local files in a bucket of an object store: `up FILE...` uploads files and reports which changed, `down`
// downloads all of them into the folder mirror. The secret `store` is the connection string of the server:
//   ghost secret set store      s3://KEY:SECRET@HOST:9000?tls=false
// Files are in the folder of --dir. g.store remembers the version that was uploaded last.

const conn = "store";
const bucket = "ghost-mirror";

export async function main(command = "up", ...files) {
  await g.objectstore.createBucket(conn, bucket);
  if (command === "up") return up(files);
  if (command === "down") return down();
  throw new Error(`the command is up or down, not ${command}`);
}

async function up(files) {
  for (const file of files) {
    await g.objectstore.putObject(conn, bucket, file, file);
  }
  const objects = await g.objectstore.listObjects(conn, bucket, { maxKeys: 10_000 });
  const changed = objects.filter(({ key, etag }) => g.store.get("mirror", key)?.data.etag !== etag);
  for (const { key, etag, size } of changed) g.store.put("mirror", key, { etag, size });
  return { objects: objects.length, changed: changed.map(({ key }) => key) };
}

async function down() {
  const objects = await g.objectstore.listObjects(conn, bucket, { maxKeys: 10_000 });
  const download = ({ key }) => g.objectstore.getObject(conn, bucket, key, `mirror/${key}`);
  await Promise.all(objects.map(download));
  return { files: objects.length, bytes: objects.reduce((sum, { size }) => sum + size, 0) };
}
