import assert from 'node:assert/strict'
import type { SyncCase } from './sync-bench.ts'

const RAW = [
  'vault/kv_1234/path/to/secret',
  'VAULT_KV_1234_MY_SECRET_KEY',
  'a',
  '7',
  '_',
  'GITHUB_TOKEN',
  'ümläut and spaces',
  'emoji-\u{1f511}-key',
  '.hidden..file',
  'line\nbreak\tand "quotes"',
  'x'.repeat(600),
]

const characters = (text: string): number => [...text].length

export const syncRuleCases: readonly SyncCase[] = [
  {
    name: 'has rules with valid limits',
    async run({ destination: { rules } }) {
      assert.ok(Number.isInteger(rules.maxNameLength) && rules.maxNameLength > 0)
      assert.ok(Number.isInteger(rules.maxValueBytes) && rules.maxValueBytes > 0)
      assert.ok(['secret-path', 'secret-key'].includes(rules.granularityDefault))
      assert.equal(typeof rules.tags, 'boolean')
    },
  },
  {
    name: 'never shortens a name when it normalizes the name',
    async run({ destination: { rules } }) {
      for (const raw of RAW) {
        const name = rules.normalizeName(raw)
        assert.equal(rules.normalizeName(name), name, raw)
        assert.ok(characters(name) >= characters(raw), raw)
        assert.equal(rules.foldName(rules.foldName(name)), rules.foldName(name))
      }
    },
  },
  {
    name: 'validate reports the field of an invalid value without the value',
    async run({ destination, config }) {
      assert.deepEqual(destination.validate(config), [])
      for (const [field, value] of Object.entries(config)) {
        if (typeof value !== 'string' || value === '') continue
        for (const wrong of [7, {}, `${value}\n\0`]) {
          const errors = destination.validate({ ...config, [field]: wrong })
          for (const error of errors) {
            assert.ok(error.rule !== '' && !error.rule.includes(value), `the rule for ${field} must not contain the value`)
            assert.match(error.field, /^[a-z_]+$/)
          }
        }
      }
    },
  },
  {
    name: 'fails with kind client if the store refuses the credentials',
    async run({ wrong, config, open, push, name, fails, signal, read }) {
      if (!wrong) return
      const other = wrong(config)
      const session = open(other)
      const target = name()
      const secrets = Object.entries(other).flatMap(([field, value]) =>
        typeof value === 'string' && value !== '' && config[field] !== value ? [value] : [],
      )
      await fails(['client'], () => session.put(push(target, 'value-of-nobody'), signal), 'value-of-nobody', ...secrets)
      await fails(['client'], () => session.remove({ name: target, opId: 'a' }, signal), ...secrets)
      assert.equal(await read(target), undefined)
    },
  },
]
