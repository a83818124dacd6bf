import assert from 'node:assert/strict'
import type { CloudCase } from './cloud-bench.ts'

const MINUTE_MS = 60_000

export const cloudKeyCases: readonly CloudCase[] = [
  {
    name: 'creates an access key that is valid until it is deleted',
    async run({ client, fixture, user, signal }) {
      const { userName } = await user()
      const { accessKeyId, secretAccessKey } = await client.createAccessKey({ userName }, signal)
      assert.match(accessKeyId, /^\w{16,128}$/)
      assert.equal(await fixture.works(accessKeyId, secretAccessKey), true)
      assert.equal(await fixture.works(accessKeyId, `${secretAccessKey}x`), false)
      await client.deleteAccessKey({ userName, accessKeyId }, signal)
      assert.equal(await fixture.works(accessKeyId, secretAccessKey), false)
    },
  },
  {
    name: 'lists the access keys of a user with their creation times',
    async run({ client, now, user, signal, refuses }) {
      const { userName } = await user()
      assert.deepEqual(await client.listAccessKeys({ userName }, signal), [])
      const one = await client.createAccessKey({ userName }, signal)
      const two = await client.createAccessKey({ userName }, signal)
      const listed = await client.listAccessKeys({ userName }, signal)
      assert.deepEqual(listed.map(({ accessKeyId }) => accessKeyId).sort(), [one.accessKeyId, two.accessKeyId].sort())
      for (const { createDate } of listed)
        assert.ok(Math.abs(createDate - now()) < MINUTE_MS, 'createDate must be milliseconds since the Unix epoch')
      await refuses('not-found', () => client.listAccessKeys({ userName: 'nobody-of-the-suite' }, signal))
    },
  },
  {
    name: 'refuses to create a third access key for a user',
    async run({ client, user, signal, refuses }) {
      const { userName } = await user()
      await client.createAccessKey({ userName }, signal)
      await client.createAccessKey({ userName }, signal)
      await refuses('limit-exceeded', () => client.createAccessKey({ userName }, signal))
      assert.equal((await client.listAccessKeys({ userName }, signal)).length, 2)
    },
  },
  {
    name: 'fails with reason not-found if the access key to delete does not exist',
    async run({ client, user, signal, refuses }) {
      const { userName } = await user()
      const { accessKeyId } = await client.createAccessKey({ userName }, signal)
      await client.deleteAccessKey({ userName, accessKeyId }, signal)
      await refuses('not-found', () => client.deleteAccessKey({ userName, accessKeyId }, signal))
      await refuses('not-found', () => client.createAccessKey({ userName: 'nobody-of-the-suite' }, signal))
    },
  },
]
