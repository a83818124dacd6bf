import { describe, expect, it } from 'vitest'
import type { DatabasePlugin } from '../../../src/engines/database/port.ts'
import { createDevKernel, type Kernel, KernelError } from '../../../src/index.ts'
import { type FakeClock, type FakeDatabasePlugin, fakeClock, fakeDatabasePlugin } from '../../../src/testing/index.ts'

interface World {
  readonly kernel: Kernel
  readonly clock: FakeClock
  readonly database: FakeDatabasePlugin
  /** Users that were created and not dropped. */
  made(): readonly string[]
  token(parameters?: object): Promise<string>
  /** The next creation waits, after creating the user, until the returned function is called. */
  hold(): Promise<() => void>
}

async function openWorld(): Promise<World> {
  const clock = fakeClock()
  const inner = fakeDatabasePlugin()
  let reached: ((go: () => void) => void) | undefined
  const database: DatabasePlugin = {
    ...inner,
    async connect(details, signal) {
      const connection = await inner.connect(details, signal)
      const createUser: typeof connection.createUser = async (user, own) => {
        await connection.createUser(user, own)
        const notify = reached
        reached = undefined
        if (notify) await new Promise<void>((go) => notify(go))
      }
      return { ...connection, createUser }
    },
  }
  const kernel = await createDevKernel({ clock, ports: { databases: { fake: database } } })
  const root = { username: 'root', password: 'root-password', connection_url: 'there' }
  await kernel.database.writeConnection({ name: 'main', plugin_name: 'fake', allowed_roles: ['*'], ...root })
  await kernel.database.writeRole({ name: 'app', db_name: 'main', creation_statements: ['make'] })
  await kernel.policies.writePolicy({ name: 'all', policy: 'path "*" { capabilities = ["create","read","update","list"] }' })
  return {
    kernel,
    clock,
    database: inner,
    made: () => [...inner.users.keys()].filter((name) => name !== 'root'),
    token: async (parameters = {}) => {
      const { client_token } = await kernel.tokens.createToken({ policies: ['all'], ...parameters })
      return client_token
    },
    hold: () =>
      new Promise((resolve) => {
        reached = resolve
      }),
  }
}

/** The two ways to request credentials. */
const VIEWS = [
  [
    'by path',
    async (kernel: Kernel, token: string) => {
      const headers = { 'X-Service-Token': token }
      const { status, body } = await kernel.handle({ method: 'GET', path: '/v1/database/creds/app', headers })
      return { status, text: JSON.stringify(body) }
    },
  ],
  [
    'by typed call',
    async (kernel: Kernel, token: string) => {
      try {
        return { status: 200, text: JSON.stringify(await kernel.as(token).database.creds({ name: 'app' })) }
      } catch (thrown) {
        if (!(thrown instanceof KernelError)) throw thrown
        return { status: thrown.status, text: thrown.message }
      }
    },
  ],
] as const

describe.each(VIEWS)('database credentials requested with a token %s', (_, ask) => {
  it('are created if the token has more than one use left', async () => {
    const { kernel, database, made, token } = await openWorld()
    expect((await ask(kernel, await token({ num_uses: 2 }))).status).toBe(200)
    expect([made().length, database.calls.createUser]).toEqual([1, 1])
  })

  it('are refused without a call to the database if the token has one use left', async () => {
    const { kernel, database, token } = await openWorld()
    const { calls } = database
    const before = { ...calls }
    expect((await ask(kernel, await token({ num_uses: 1 }))).status).toBe(400)
    expect(calls).toEqual(before)
  })

  it('are refused without a call to the database if the token was revoked', async () => {
    const { kernel, database, token } = await openWorld()
    const gone = await token()
    await kernel.tokens.revokeToken({ token: gone })
    const before = { ...database.calls }
    expect((await ask(kernel, gone)).status).toBe(403)
    expect(database.calls).toEqual(before)
  })

  it('are refused if the token is revoked during user creation, and the user is dropped immediately', async () => {
    const { kernel, database, made, token, hold } = await openWorld()
    const ending = await token()
    const reached = hold()
    const asking = ask(kernel, ending)
    const go = await reached
    const [name = ''] = made()
    const credential = database.users.get(name)?.credential
    expect(credential?.type).toBe('password')
    await kernel.tokens.revokeToken({ token: ending })
    go()
    const { status, text } = await asking
    expect(status).toBe(403)
    expect(text).not.toContain(credential?.type === 'password' ? credential.password : 'password')
    expect(made()).toEqual([])
    expect(await kernel.tick()).toMatchObject({ failed: [] })
  })

  it('are dropped by a later tick if the database cannot drop them immediately', async () => {
    const { kernel, clock, database, made, token, hold } = await openWorld()
    const ending = await token()
    const reached = hold()
    const asking = ask(kernel, ending)
    const go = await reached
    database.trouble({ call: 'deleteUser', manner: 'unreachable' })
    await kernel.tokens.revokeToken({ token: ending })
    go()
    expect((await asking).status).toBe(403)
    expect(made().length).toBe(1)
    await clock.advance(10_000)
    expect(await kernel.tick()).toMatchObject({ failed: [] })
    expect(made()).toEqual([])
  })
})
