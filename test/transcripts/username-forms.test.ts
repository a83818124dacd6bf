import { expect, it } from 'vitest'
import { DEFAULT_PASSWORD_POLICY } from '../../src/core/access/password/default-policy.ts'
import { drawPassword } from '../../src/core/access/password/generate.ts'
import { parsePasswordPolicy } from '../../src/core/access/password/policy.ts'
import { runToEnd } from '../../src/core/base/steps.ts'
import { compileTemplate } from '../../src/core/template/index.ts'
import { seededEntropy } from '../../src/testing/index.ts'
import { describeWithShared, readSharedJson } from '../fixtures/shared-data.ts'

const FILE = 'transcripts/openbao/golden/database-usernames.json'

/** The documented template of PostgreSQL; the file contains "(default)" instead. */
const POSTGRESQL =
  '{{ printf "v-%s-%s-%s-%s" (.DisplayName | truncate 8) (.RoleName | truncate 8) (random 20) (unix_time) | truncate 63 }}'
const DEFAULT = '(default)'

interface Case {
  readonly template: string
  readonly limit?: number
  readonly display_name: string
  readonly role_name: string
  readonly form: string
  readonly usernames: readonly string[]
  readonly password_policy: string
  readonly password_form: string
}

describeWithShared(FILE, 'names and passwords that the kernel generates for database users', () => {
  const { cases } = readSharedJson<{ readonly cases: readonly Case[] }>(FILE)
  const entropy = seededEntropy(18)

  it.each(cases)(
    'have the form that OpenBao recorded for template $template, display name $display_name and role $role_name',
    (testCase) => {
      const template = compileTemplate(testCase.template === DEFAULT ? POSTGRESQL : testCase.template, 'username_template')
      const fields = { DisplayName: testCase.display_name, RoleName: testCase.role_name }
      const now = 1_795_255_506_123
      const names = Array.from({ length: 20 }, () => template.run({ fields, now, entropy }))
      expect(new Set(names).size).toBe(20)
      for (const name of names) {
        expect(name).toMatch(new RegExp(testCase.form))
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(testCase.limit ?? Number.POSITIVE_INFINITY)
      }
      expect(new Set([...names, ...testCase.usernames].map((name) => name.length)).size).toBe(1)
    },
  )

  it.each(cases)(
    'have the form that OpenBao recorded for password policy $password_policy',
    ({ password_policy, password_form }) => {
      const policy = password_policy === DEFAULT ? DEFAULT_PASSWORD_POLICY : runToEnd(parsePasswordPolicy(password_policy))
      const passwords = Array.from({ length: 20 }, () => runToEnd(drawPassword(policy, entropy)))
      for (const password of passwords) expect(password).toMatch(new RegExp(password_form))
      expect(new Set(passwords).size).toBe(20)
    },
  )
})
