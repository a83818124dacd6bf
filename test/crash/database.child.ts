/**
 * Does one piece of work with the database engine, and sends each database call to the test. Started by database-kill.soak.test.ts, which
 * kills it at one of these calls.
 */
import { type FakeDatabasePlugin, fakeClock, fakeDatabasePlugin } from '../../src/testing/index.ts'
import { Process } from '../fault/database-process.ts'
import { WORKS } from '../fault/database-works.ts'
import { childArguments, received, send } from '../fixtures/child-side.ts'
import { openStoreAt, type StoreAt } from '../fixtures/store-at.ts'

export interface DatabaseArguments {
  readonly where: StoreAt
  readonly work: string
  /** In milliseconds. */
  readonly now: number
  readonly rootToken: string
  readonly lease_id: string
}

/** `connect` with connection details, or another method of the connection with its argument. */
export interface Question {
  readonly call: 'connect' | 'createUser' | 'updateUser' | 'deleteUser'
  readonly argument: Readonly<Record<string, unknown>>
}

/** Undefined if the call succeeded. */
export interface Answered {
  readonly failure?: { readonly reason: string }
}

const { where, work: name, now, rootToken, lease_id } = childArguments<DatabaseArguments>()

const answers = received() as AsyncGenerator<Answered, void, undefined>

async function ask(question: Question): Promise<void> {
  send(question)
  const { value } = await answers.next()
  if (value?.failure) throw Object.assign(new Error('the database refused'), value.failure)
}

const remote: FakeDatabasePlugin = {
  ...fakeDatabasePlugin(),
  async connect(argument) {
    await ask({ call: 'connect', argument })
    return {
      longest_name: { count: 63, unit: 'bytes' },
      createUser: (argument) => ask({ call: 'createUser', argument: { ...argument } }),
      updateUser: (argument) => ask({ call: 'updateUser', argument: { ...argument } }),
      deleteUser: (argument) => ask({ call: 'deleteUser', argument: { ...argument } }),
      close: async () => {},
    }
  },
}

const { storage, close } = openStoreAt(where, { shared: true })
const process = await Process.start({
  storage,
  clock: fakeClock(now),
  database: remote,
  rootToken,
  record: () => {},
  keep: () => {},
  drive: (_, work) => work,
})
const work = WORKS.find((work) => work.name === name)
await work?.run(process, { lease_id })
await process.kernel.close()
await close()
globalThis.process.stdin.destroy()
