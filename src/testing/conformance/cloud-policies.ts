import assert from 'node:assert/strict'
import type { CloudCase } from './cloud-bench.ts'

const UNKNOWN_NAME = 'nobody-of-the-suite'

/** A policy document with characters that have a special meaning in forms, URLs, XML and JSON. */
const ODD_DOCUMENT = JSON.stringify({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Deny', Action: 's3:Get*', Resource: 'arn:aws:s3:::a+b/%41&c=<d>/$1$$/"é"' }],
})

export const cloudPolicyCases: readonly CloudCase[] = [
  {
    name: 'lists a managed policy from its attachment to a user until it is detached',
    async run({ client, fixture, user, signal, refuses }) {
      const { userName } = await user()
      const { policy_arn: policyArn } = fixture
      assert.deepEqual(await client.listAttachedUserPolicies({ userName }, signal), [])
      await client.attachUserPolicy({ userName, policyArn }, signal)
      await client.attachUserPolicy({ userName, policyArn }, signal)
      assert.deepEqual(await client.listAttachedUserPolicies({ userName }, signal), [policyArn])
      await client.detachUserPolicy({ userName, policyArn }, signal)
      assert.deepEqual(await client.listAttachedUserPolicies({ userName }, signal), [])
      await refuses('not-found', () => client.detachUserPolicy({ userName, policyArn }, signal))
      await refuses('not-found', () => client.attachUserPolicy({ userName: UNKNOWN_NAME, policyArn }, signal))
      await refuses('not-found', () => client.listAttachedUserPolicies({ userName: UNKNOWN_NAME }, signal))
    },
  },
  {
    name: 'lists the inline policies of a user until they are deleted',
    async run({ client, user, signal, refuses }) {
      const { userName } = await user()
      await client.putUserPolicy({ userName, policyName: 'one', policyDocument: ODD_DOCUMENT }, signal)
      await client.putUserPolicy({ userName, policyName: 'two@x', policyDocument: ODD_DOCUMENT }, signal)
      assert.deepEqual([...(await client.listUserPolicies({ userName }, signal))].sort(), ['one', 'two@x'])
      await client.deleteUserPolicy({ userName, policyName: 'one' }, signal)
      assert.deepEqual(await client.listUserPolicies({ userName }, signal), ['two@x'])
      await refuses('not-found', () => client.deleteUserPolicy({ userName, policyName: 'one' }, signal))
      await refuses('not-found', () => client.listUserPolicies({ userName: UNKNOWN_NAME }, signal))
    },
  },
  {
    name: 'refuses an inline policy whose document is not a policy',
    async run({ client, user, signal, refuses }) {
      const { userName } = await user()
      for (const policyDocument of ['no JSON', '[]', '7', '{}'])
        await refuses('invalid', () => client.putUserPolicy({ userName, policyName: 'p', policyDocument }, signal))
      assert.deepEqual(await client.listUserPolicies({ userName }, signal), [])
    },
  },
  {
    name: 'lists the groups of a user until the user is removed from them',
    async run({ client, fixture, user, signal, refuses }) {
      const { userName } = await user()
      const groupName = fixture.group.name
      assert.deepEqual(await client.listGroupsForUser({ userName }, signal), [])
      await client.addUserToGroup({ userName, groupName }, signal)
      assert.deepEqual(await client.listGroupsForUser({ userName }, signal), [groupName])
      await client.removeUserFromGroup({ userName, groupName }, signal)
      assert.deepEqual(await client.listGroupsForUser({ userName }, signal), [])
      await refuses('not-found', () => client.addUserToGroup({ userName, groupName: UNKNOWN_NAME }, signal))
      await refuses('not-found', () => client.listGroupsForUser({ userName: UNKNOWN_NAME }, signal))
    },
  },
  {
    name: 'returns the policies of a group with unchanged documents',
    async run({ client, fixture, signal, refuses }) {
      const { name: groupName, attached, inline } = fixture.group
      assert.ok((await client.listAttachedGroupPolicies({ groupName }, signal)).includes(attached))
      assert.ok((await client.listGroupPolicies({ groupName }, signal)).includes(inline.name))
      assert.equal(await client.getGroupPolicy({ groupName, policyName: inline.name }, signal), inline.document)
      await refuses('not-found', () => client.getGroupPolicy({ groupName, policyName: UNKNOWN_NAME }, signal))
      await refuses('not-found', () => client.listGroupPolicies({ groupName: UNKNOWN_NAME }, signal))
      await refuses('not-found', () => client.listAttachedGroupPolicies({ groupName: UNKNOWN_NAME }, signal))
    },
  },
]
