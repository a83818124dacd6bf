import { describe, expect, it } from 'vitest'
import { formatPolicy } from '../../src/cli/policy-format.ts'
import { DEFAULT_POLICY_TEXT, parsePolicy } from '../../src/core/policy/index.ts'
import fc from '../fixtures/fast-check.ts'
import { runInProcess } from './run-in-process.ts'

const shown = (text: string): string =>
  JSON.stringify(parsePolicy(text), (_, value) => (value instanceof Map ? [...value] : value))

describe('a formatted policy', () => {
  it('has uniform indentation, aligned values and no superfluous blank lines', () => {
    const text = `

# Readers
path "secret/*" {

capabilities=["read",   "list"]
    min_wrapping_ttl   = "1s"   # short

}
path "a=b/{" { capabilities = ["update"] }


path "c" {
      capabilities = [
 "read",
 ]
  allowed_parameters = {
"a" = ["x{", "y"]
  }
    }
`
    expect(formatPolicy(text)).toBe(`# Readers
path "secret/*" {
  capabilities     = ["read",   "list"]
  min_wrapping_ttl = "1s"   # short
}
path "a=b/{" { capabilities = ["update"] }

path "c" {
  capabilities = [
    "read",
  ]
  allowed_parameters = {
    "a" = ["x{", "y"]
  }
}
`)
  })

  it('keeps block comments and heredocs as they are', () => {
    const text = 'path "a" {\n/* one {\n     two */\ncapabilities = ["read"]\n}\npath <<X\n  b{\nX\n{}\n'
    expect(formatPolicy(text)).toContain('/* one {\n     two */')
    expect(formatPolicy(text)).toContain('<<X\n  b{\nX\n')
  })

  it('is not changed by formatting it again, and means the same', () => {
    const space = fc.stringMatching(/^[ \t\n]{0,3}$/)
    const name = fc.stringMatching(/^[a-z{}=#/*"]{1,8}$/)
    const rule = fc.record({ name, space, list: fc.subarray(['read', 'list', 'update']), comment: fc.boolean() })
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 4 }), (rules) => {
        const text = rules
          .map(
            ({ name, space, list, comment }) =>
              `${space}path ${JSON.stringify(name.replaceAll('{{', '').replaceAll('+', ''))}${comment ? ' ' : ''}{\n${space}capabilities${space.replaceAll('\n', '')}= ${JSON.stringify(list)}${comment ? ' # x { "' : ''}\n${space}}${space}\n`,
          )
          .join('')
        const before = attempt(() => shown(text))
        if (before === undefined) return
        const formatted = formatPolicy(text)
        expect(shown(formatted)).toBe(before)
        expect(formatPolicy(formatted)).toBe(formatted)
      }),
    )
  })

  it('of the built-in policy is the policy itself', () => {
    expect(formatPolicy(DEFAULT_POLICY_TEXT)).toBe(`${DEFAULT_POLICY_TEXT.trimEnd()}\n`)
  })
})

const attempt = (run: () => string): string | undefined => {
  try {
    return run()
  } catch {
    return undefined
  }
}

describe('strongroom policy', () => {
  it('checks a policy from standard input, and warns about rules that match nothing', async () => {
    const { code, stdout } = await runInProcess(['policy', 'check', '-', '--json'], 'path "a" { capabilities = ["read"] }')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ valid: true, rules: 1 })
  })

  it('names the line of a mistake, and shows no stack trace', async () => {
    const { code, stderr } = await runInProcess(['policy', 'check', '-'], 'path "a" {\n capabilities = ["fly"]\n}')
    expect(code).toBe(1)
    expect(stderr).toContain('failed to parse policy')
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  it('writes the formatted policy to standard output, in HCL and in JSON', async () => {
    const hcl = await runInProcess(['policy', 'format', '-'], 'path "a" {\ncapabilities = ["read"]\n}\n')
    expect(hcl.stdout).toBe('path "a" {\n  capabilities = ["read"]\n}\n')
    const json = await runInProcess(['policy', 'format', '-'], '{"path":{"a":{"capabilities":["read"]}}}')
    expect(JSON.parse(json.stdout)).toEqual({ path: { a: { capabilities: ['read'] } } })
    expect(json.stdout.split('\n').length).toBeGreaterThan(5)
  })
})
