/** The greeting of a secondary as a message that tests can change. */
import type { ReplicationContext } from '../../src/sys/replication/replication-context.ts'
import { LAYOUT } from '../../src/sys/replication/serve/hello.ts'
import { plainHistory } from '../../src/sys/replication/wire/read-messages.ts'

export type Message = Readonly<Record<string, unknown>>

/** The greeting that a secondary sends, with some members replaced. */
export async function greetingOf({ membership }: ReplicationContext, replaced: Message): Promise<Message> {
  const { relation } = await membership.member()
  return {
    kind: 'hello',
    set: relation.set,
    layout: LAYOUT,
    history: plainHistory(relation.history),
    applied: 0,
    leases: [],
    address: '',
    api: '',
    counts: [],
    counts_after: '',
    cluster: '',
    ...replaced,
  }
}
