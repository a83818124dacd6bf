import assert from 'node:assert/strict'
import type { DatabaseCase } from './database-bench.ts'

export const databaseConnectionCases: readonly DatabaseCase[] = [
  {
    name: 'omits the configured password from the shown connection details',
    async run({ plugin, details }) {
      const stored = plugin.configure(details)
      assert.equal(stored['password'], details['password'])
      const shown = plugin.shown(stored)
      assert.ok(!JSON.stringify(shown).includes(String(details['password'])))
      assert.equal(shown['username'], details['username'])
      assert.deepEqual(plugin.warnings(stored), [])
    },
  },
  {
    name: 'configure refuses details without a URL or with a member of the wrong type',
    async run({ plugin, details, refuses }) {
      const secret = String(details['password'])
      for (const wrong of [
        { connection_url: '' },
        { connection_url: 7 },
        { connection_url: null },
        { username: {} },
        { password: [] },
      ])
        await refuses('invalid', () => plugin.configure({ ...details, ...wrong }), secret)
    },
  },
  {
    name: 'fails with reason auth if the password is wrong or the user is unknown',
    async run({ plugin, details, refuses, signal }) {
      const password = 'not-the-Password-1'
      await refuses('auth', () => plugin.connect({ ...details, password }, signal), password)
      await refuses('auth', () => plugin.connect({ ...details, username: 'nobody-at-all', password }, signal), password)
    },
  },
  {
    name: 'does not connect if the signal is already aborted',
    async run({ plugin, details, refuses }) {
      await refuses('timeout', () => plugin.connect(details, AbortSignal.abort()))
    },
  },
  {
    name: 'reports the maximum length of a user name',
    async run({ connection: { longest_name } }) {
      assert.ok(Number.isInteger(longest_name.count) && longest_name.count > 0)
      assert.ok(['bytes', 'characters'].includes(longest_name.unit))
    },
  },
  {
    name: 'fails with reason closed on a closed connection, while other connections remain open',
    async run({ details, connect, connection, refuses, user, signal }) {
      const other = await connect(details)
      await Promise.all([other.close(), other.close()])
      await other.close()
      await refuses('closed', () => other.createUser(user(), signal))
      await refuses('closed', () => other.deleteUser({ username: 'nobody-at-all', statements: [] }, signal))
      await connection.createUser(user(), signal)
    },
  },
  {
    name: 'lets calls in progress succeed or fail with reason closed when the connection is closed',
    async run({ details, connect, user, signal, login }) {
      const other = await connect(details)
      const users = Array.from({ length: 8 }, () => user())
      const calls = users.map((one) => other.createUser(one, signal))
      const [results] = await Promise.all([Promise.allSettled(calls), other.close()])
      for (const [i, result] of results.entries())
        if (result.status === 'fulfilled') assert.ok(await login(users[i]!.username, users[i]!.password))
        else assert.equal((result.reason as { reason?: unknown }).reason, 'closed')
    },
  },
]
