import { credentialStoreChecks } from "../testing/credential_store_checks.ts";
import { memoryStore } from "./credential_store.ts";

for (const check of credentialStoreChecks) {
  Deno.test(`memoryStore(): ${check.name}`, async () => {
    const store = memoryStore();
    await check.run(() => store);
  });
}
