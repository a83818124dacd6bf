/** The random name by which fence records identify this store. It is not replicated, so a cluster that takes over has another name. */
import { toHex } from '../../../core/base/identifiers.ts'
import type { Host } from '../../../core/transaction/host.ts'
import { RecordSlot } from '../state/records.ts'

const NAME = /* @__PURE__ */ new RecordSlot<{ readonly name: string }>('i/replication/fence-name')

const NAME_BYTES = 16

export async function fenceHolderName({ store, env }: Host): Promise<string> {
  for (;;) {
    const { value } = await NAME.read(store)
    if (value) return value.name
    await store.commit([NAME.put(store, { name: toHex(env.entropy.bytes(NAME_BYTES)) }, 0)])
  }
}
