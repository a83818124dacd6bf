import { describe, expect, it } from 'vitest'
import { fakeClock, fakeDatabasePlugin } from '../../../src/testing/index.ts'

const details = { connection_url: 'fake://server', username: 'root', password: 'root-password' }
/** Ends a call that hangs. */
const soon = () => AbortSignal.timeout(50)
/** Never aborts, for calls that return. */
const live = () => new AbortController().signal
const user = {
  username: 'u',
  credential: { type: 'password', password: 'p' } as const,
  statements: ['CREATE'],
  rollback_statements: [],
  expiration: 1000,
}

describe('fakeDatabasePlugin', () => {
  it('makes calls fail before or after it applies them', async () => {
    const plugin = fakeDatabasePlugin()
    const connection = await plugin.connect(details, live())
    const expected = [
      { manner: 'refuses', when: 'before', reason: 'statement', there: false },
      { manner: 'refuses', when: 'after', reason: 'statement', there: true },
      { manner: 'unreachable', reason: 'connection', there: false },
      { manner: 'loses', reason: 'connection', there: true },
      { manner: 'hangs', when: 'before', reason: 'timeout', there: false },
      { manner: 'hangs', when: 'after', reason: 'timeout', there: true },
    ] as const
    for (const { reason, there, ...trouble } of expected) {
      plugin.trouble({ call: 'createUser', ...trouble })
      await expect(connection.createUser(user, trouble.manner === 'hangs' ? soon() : live())).rejects.toMatchObject({ reason })
      expect(plugin.login('u', 'p'), JSON.stringify(trouble)).toBe(there)
      await connection.deleteUser({ username: 'u', statements: [] }, live())
    }
    await connection.createUser(user, live())
    expect(plugin.login('u', 'p')).toBe(true)
    expect(plugin.calls).toEqual({ connect: 1, createUser: 7, updateUser: 0, deleteUser: 6, close: 0 })
  })

  it('makes a number of calls fail, or all calls until the trouble is removed', async () => {
    const plugin = fakeDatabasePlugin()
    plugin.trouble({ call: 'connect', manner: 'refuses', times: 2 })
    const takeBack = plugin.trouble({ call: 'connect', manner: new TypeError('nonsense'), times: Number.POSITIVE_INFINITY })
    for (let i = 0; i < 2; i++) await expect(plugin.connect(details, live())).rejects.toMatchObject({ reason: 'auth' })
    for (let i = 0; i < 3; i++) await expect(plugin.connect(details, live())).rejects.toThrow(TypeError)
    takeBack()
    await (await plugin.connect(details, live())).close()
    expect(plugin.open).toBe(0)
  })

  it('can ignore the abort signal', async () => {
    const plugin = fakeDatabasePlugin()
    plugin.trouble({ call: 'connect', manner: 'deaf' })
    const first = await Promise.race([
      plugin.connect(details, AbortSignal.timeout(10)),
      new Promise((resolve) => setTimeout(resolve, 100, 'still nothing')),
    ])
    expect(first).toBe('still nothing')
  })

  it('refuses logins of expired users and logins with the previous root password', async () => {
    const clock = fakeClock()
    const plugin = fakeDatabasePlugin({ clock, root: { username: 'r', password: 'first' } })
    const connection = await plugin.connect({ ...details, username: 'r', password: 'first' }, live())
    await connection.createUser({ ...user, expiration: clock.now() + 1000 }, live())
    expect(plugin.login('u', 'p')).toBe(true)
    await clock.advance(1000)
    expect(plugin.login('u', 'p')).toBe(false)
    const password = 'second'
    await connection.updateUser({ username: 'r', credential: { type: 'password', password }, statements: [] }, live())
    await expect(plugin.connect({ ...details, username: 'r', password: 'first' }, live())).rejects.toMatchObject({
      reason: 'auth',
    })
    await (await plugin.connect({ ...details, username: 'r', password }, live())).close()
  })
})
