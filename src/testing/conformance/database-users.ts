import assert from 'node:assert/strict'
import type { DatabaseCase } from './database-bench.ts'

/** Names and passwords that contain characters with a special meaning in URLs, statements, templates and shells. */
const ODD_PASSWORDS = [
  `quote' double" back\` slash\\ end`,
  `'; DROP TABLE users; --`,
  `$$ $1 $block0$ {{name }} {{x}} %s %41 \\'`,
  `a@b:c/d?e#f[g]&h=i+j k`,
  `ünï-пароль-密码`,
  `\\\\`,
  `'`,
]

export const databaseUserCases: readonly DatabaseCase[] = [
  {
    name: 'creates a user who can log in only with the given password',
    async run({ connection, user, login, signal }) {
      const one = user()
      assert.equal(await login(one.username, one.password), false)
      await connection.createUser(one, signal)
      assert.equal(await login(one.username, one.password), true)
      assert.equal(await login(one.username, 'another-Password-1'), false)
    },
  },
  {
    name: 'leaves an existing user unchanged when it refuses to create the user again',
    async run({ connection, user, login, signal, refuses }) {
      const one = user()
      await connection.createUser(one, signal)
      const again = { ...one, credential: { type: 'password', password: 'second-Password-2' } as const }
      await refuses('statement', () => connection.createUser(again, signal), one.password, 'second-Password-2')
      assert.equal(await login(one.username, one.password), true)
      assert.equal(await login(one.username, 'second-Password-2'), false)
    },
  },
  {
    name: 'leaves no user behind if a creation statement fails',
    async run({ connection, user, login, signal, refuses, failing }) {
      const one = user({ statements: failing })
      await refuses('statement', () => connection.createUser(one, signal), one.password)
      assert.equal(await login(one.username, one.password), false)
      await connection.createUser({ ...user(), username: one.username }, signal)
      assert.equal(await login(one.username, one.password), true)
    },
  },
  {
    name: 'refuses to create a user if the statements are missing or empty',
    async run({ connection, user, signal, refuses }) {
      for (const statements of [[], [''], [' \n ', '']])
        await refuses('invalid', () => connection.createUser(user({ statements }), signal))
    },
  },
  {
    name: 'accepts passwords with special characters',
    async run({ connection, user, login, signal, details, connect }) {
      for (const password of ODD_PASSWORDS) {
        const one = user({ password })
        await connection.createUser(one, signal)
        assert.equal(
          await login(one.username, password),
          true,
          `the new user must be able to log in with the password ${password}`,
        )
        const own = await connect({ ...details, username: one.username, password })
        await own.close()
        await connection.updateUser(
          { username: one.username, credential: { type: 'password', password: `${password}2` }, statements: [] },
          signal,
        )
        assert.equal(
          await login(one.username, `${password}2`),
          true,
          `the user must be able to log in with the new password ${password}2`,
        )
      }
    },
  },
  {
    name: 'accepts user names with special characters',
    async run({ connection, user, login, signal, details, connect }) {
      for (const odd of ['a b;c', '@:/?#[]&+', '$$-$1-%41', '{{x}}-{y}', 'ünï-密']) {
        const one = user({ username: `${odd}-${Date.now().toString(36)}` })
        await connection.createUser(one, signal)
        assert.equal(await login(one.username, one.password), true, `the user with the name ${odd} must be able to log in`)
        const own = await connect({ ...details, username: one.username, password: one.password })
        await own.close()
        await connection.deleteUser({ username: one.username, statements: [] }, signal)
        assert.equal(
          await login(one.username, one.password),
          false,
          `the user with the name ${odd} must not be able to log in after it was dropped`,
        )
      }
    },
  },
  {
    name: 'changes a password, even to the current password',
    async run({ connection, user, login, signal }) {
      const one = user()
      await connection.createUser(one, signal)
      const change = {
        username: one.username,
        credential: { type: 'password', password: 'second-Password-2' } as const,
        statements: [],
      }
      for (let i = 0; i < 2; i++) {
        await connection.updateUser(change, signal)
        assert.equal(await login(one.username, 'second-Password-2'), true)
        assert.equal(await login(one.username, one.password), false)
      }
    },
  },
  {
    name: 'refuses to change a user that does not exist',
    async run({ connection, user, signal, refuses }) {
      const { username, credential, password } = user()
      await refuses('statement', () => connection.updateUser({ username, credential, statements: [] }, signal), password)
    },
  },
  {
    name: 'keeps the password when the expiration of a user is changed',
    async run({ connection, user, login, signal }) {
      const one = user()
      await connection.createUser(one, signal)
      await connection.updateUser({ username: one.username, expiration: one.expiration + 60_000, statements: [] }, signal)
      assert.equal(await login(one.username, one.password), true)
    },
  },
  {
    name: 'drops a user and succeeds again for the dropped user',
    async run({ connection, user, login, signal }) {
      const one = user()
      await connection.createUser(one, signal)
      for (let i = 0; i < 2; i++) {
        await connection.deleteUser({ username: one.username, statements: [] }, signal)
        assert.equal(await login(one.username, one.password), false)
      }
      await connection.createUser(one, signal)
      assert.equal(await login(one.username, one.password), true)
    },
  },
  {
    name: 'creates and drops 20 users concurrently',
    async run({ connection, user, login, signal }) {
      const users = Array.from({ length: 20 }, () => user())
      await Promise.all(users.map((one) => connection.createUser(one, signal)))
      for (const { username, password } of users) assert.equal(await login(username, password), true)
      await Promise.all(users.map(({ username }) => connection.deleteUser({ username, statements: [] }, signal)))
      for (const { username, password } of users) assert.equal(await login(username, password), false)
    },
  },
  {
    name: 'does not create or drop a user if the signal is already aborted',
    async run({ connection, user, login, refuses, signal }) {
      const one = user()
      await refuses('timeout', () => connection.createUser(one, AbortSignal.abort()), one.password)
      assert.equal(await login(one.username, one.password), false)
      await connection.createUser(one, signal)
      await refuses('timeout', () => connection.deleteUser({ username: one.username, statements: [] }, AbortSignal.abort()))
      assert.equal(await login(one.username, one.password), true)
    },
  },
  {
    name: 'refuses a statement with a NUL character',
    async run({ connection, user, refuses, signal }) {
      await refuses('invalid', () => connection.createUser(user({ statements: ['SELECT \0'] }), signal))
    },
  },
]
