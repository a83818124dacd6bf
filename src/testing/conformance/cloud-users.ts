import assert from 'node:assert/strict'
import type { CloudCase } from './cloud-bench.ts'

export const cloudUserCases: readonly CloudCase[] = [
  {
    name: 'returns a created user by name until it is deleted',
    async run({ client, name, signal, refuses }) {
      const userName = name()
      await refuses('not-found', () => client.getUser({ userName }, signal))
      const made = await client.createUser({ userName, path: '/' }, signal)
      assert.equal(made.userName, userName)
      assert.match(made.userId, /^\w{16,128}$/)
      assert.ok(made.arn.startsWith('arn:') && made.arn.endsWith(`user/${userName}`), made.arn)
      assert.deepEqual(await client.getUser({ userName }, signal), made)
      await client.deleteUser({ userName }, signal)
      await refuses('not-found', () => client.getUser({ userName }, signal))
      await refuses('not-found', () => client.deleteUser({ userName }, signal))
    },
  },
  {
    name: 'getUser without a name returns the user to whom the credentials belong',
    async run({ client, connect, settings, user, signal }) {
      const self = await client.getUser({}, signal)
      assert.notEqual(self.userName, '')
      const { userName } = await user()
      const { accessKeyId, secretAccessKey } = await client.createAccessKey({ userName }, signal)
      const own = connect({ ...settings, accessKey: accessKeyId, secretKey: secretAccessKey })
      assert.equal((await own.getUser({}, signal)).userName, userName)
    },
  },
  {
    name: 'leaves an existing user unchanged when it refuses to create the user again',
    async run({ client, user, signal, refuses }) {
      const one = await user()
      await refuses('already-exists', () => client.createUser({ userName: one.userName, path: '/other/' }, signal))
      assert.deepEqual(await client.getUser({ userName: one.userName }, signal), one)
    },
  },
  {
    name: 'gives a new user id to a user that is deleted and created again',
    async run({ client, user, signal }) {
      const { userName, userId } = await user()
      await client.deleteUser({ userName }, signal)
      const again = await client.createUser({ userName, path: '/' }, signal)
      assert.notEqual(again.userId, userId)
    },
  },
  {
    name: 'creates a user with a path and a permissions boundary',
    async run({ fixture, user }) {
      const { arn, userName } = await user({ path: '/some/path/', permissionsBoundary: fixture.policy_arn })
      assert.ok(arn.endsWith(`user/some/path/${userName}`), arn)
    },
  },
  {
    name: 'refuses to create a user with an invalid name or path',
    async run({ client, name, signal, refuses }) {
      await refuses('invalid', () => client.createUser({ userName: 'x'.repeat(65), path: '/' }, signal))
      await refuses('invalid', () => client.createUser({ userName: 'a name', path: '/' }, signal))
      await refuses('invalid', () => client.createUser({ userName: name(), path: '/open' }, signal))
    },
  },
  {
    name: 'accepts user tags with special characters',
    async run({ client, user, signal, refuses }) {
      const { userName } = await user()
      const tags = [
        { key: 'team', value: 'a=b:c/d+e-f@g._ h' },
        { key: 'ünï', value: '' },
      ]
      await client.tagUser({ userName, tags }, signal)
      await refuses('not-found', () => client.tagUser({ userName: 'nobody-of-the-suite', tags }, signal))
    },
  },
  {
    name: 'refuses to delete a user that still has an access key, a policy or a group',
    async run({ client, fixture, user, signal, refuses }) {
      const { userName } = await user()
      const refused = () => refuses('delete-conflict', () => client.deleteUser({ userName }, signal))
      const { accessKeyId } = await client.createAccessKey({ userName }, signal)
      await refused()
      await client.deleteAccessKey({ userName, accessKeyId }, signal)
      await client.attachUserPolicy({ userName, policyArn: fixture.policy_arn }, signal)
      await refused()
      await client.detachUserPolicy({ userName, policyArn: fixture.policy_arn }, signal)
      await client.putUserPolicy({ userName, policyName: 'p', policyDocument: fixture.group.inline.document }, signal)
      await refused()
      await client.deleteUserPolicy({ userName, policyName: 'p' }, signal)
      await client.addUserToGroup({ userName, groupName: fixture.group.name }, signal)
      await refused()
      await client.removeUserFromGroup({ userName, groupName: fixture.group.name }, signal)
      await client.deleteUser({ userName }, signal)
    },
  },
  {
    name: 'deleteUserExtras deletes all other objects that prevent the deletion of a user',
    needs: 'giveExtras',
    async run({ client, fixture, user, signal, refuses }) {
      const { userName } = await user()
      await fixture.giveExtras?.(userName)
      await refuses('delete-conflict', () => client.deleteUser({ userName }, signal))
      await client.deleteUserExtras({ userName }, signal)
      await client.deleteUser({ userName }, signal)
    },
  },
  {
    name: 'deleteUserExtras keeps a user that has no such objects',
    async run({ client, user, signal }) {
      const { userName } = await user()
      await client.deleteUserExtras({ userName }, signal)
      assert.equal((await client.getUser({ userName }, signal)).userName, userName)
    },
  },
  {
    name: 'creates 8 different users concurrently',
    async run({ client, user, signal }) {
      const users = await Promise.all(Array.from({ length: 8 }, () => user()))
      assert.equal(new Set(users.map(({ userId }) => userId)).size, 8)
      await Promise.all(users.map(({ userName }) => client.deleteUser({ userName }, signal)))
    },
  },
]
