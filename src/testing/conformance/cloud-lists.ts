import assert from 'node:assert/strict'
import type { CloudCase } from './cloud-bench.ts'

export const cloudListCases: readonly CloudCase[] = [
  {
    name: 'reads all pages of every list',
    needs: 'paged',
    async run({ client, connect, fixture, user, signal }) {
      const paged = connect((await fixture.paged?.()) ?? {})
      const { userName } = await user()
      const names = ['a', 'b', 'c', 'd', 'e']
      for (const policyName of names)
        await client.putUserPolicy({ userName, policyName, policyDocument: fixture.group.inline.document }, signal)
      const keys = [
        (await client.createAccessKey({ userName }, signal)).accessKeyId,
        (await client.createAccessKey({ userName }, signal)).accessKeyId,
      ]
      await client.attachUserPolicy({ userName, policyArn: fixture.policy_arn }, signal)
      await client.addUserToGroup({ userName, groupName: fixture.group.name }, signal)
      assert.deepEqual([...(await paged.listUserPolicies({ userName }, signal))].sort(), names)
      const listed = await paged.listAccessKeys({ userName }, signal)
      assert.deepEqual(listed.map(({ accessKeyId }) => accessKeyId).sort(), keys.sort())
      assert.deepEqual(await paged.listAttachedUserPolicies({ userName }, signal), [fixture.policy_arn])
      assert.deepEqual(await paged.listGroupsForUser({ userName }, signal), [fixture.group.name])
      const groupName = fixture.group.name
      assert.deepEqual(
        await paged.listAttachedGroupPolicies({ groupName }, signal),
        await client.listAttachedGroupPolicies({ groupName }, signal),
      )
      assert.deepEqual(
        await paged.listGroupPolicies({ groupName }, signal),
        await client.listGroupPolicies({ groupName }, signal),
      )
    },
  },
]
