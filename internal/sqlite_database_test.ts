import { assertEquals, assertThrows } from "@std/assert";
import { type DatabaseUse, openDatabase } from "./sqlite_database.ts";

const USE: DatabaseUse = {
  packageName: "@parley/x",
  applicationId: 7,
  schemaVersion: 2,
  schema: "create table item (id integer primary key) strict",
  pragmas: "pragma busy_timeout = 0",
  lock: "immediate",
};

Deno.test("openDatabase() creates the tables of a new database and marks it", () => {
  const database = openDatabase(":memory:", USE);
  try {
    database.exec("insert into item (id) values (5)");
    assertEquals({ ...database.prepare("select id from item").get() }, { id: 5 });
    assertEquals({ ...database.prepare("pragma application_id").get() }, { application_id: 7 });
    assertEquals({ ...database.prepare("pragma user_version").get() }, { user_version: 2 });
    assertEquals({ ...database.prepare("pragma synchronous").get() }, { synchronous: 2 });
  } finally {
    database.close();
  }
});

Deno.test("openDatabase() throws if a statement fails, and if the file cannot be opened", () => {
  assertThrows(() => openDatabase(":memory:", { ...USE, schema: "create nothing" }), Error);
  assertThrows(() => openDatabase("/nowhere/at/all.db", USE), Error);
});
