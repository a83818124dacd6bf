/** The cases of what the originals' own tests say of names with variables. */
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { checkTemplate, interpolate } from '../../../../src/configsvc/interpolation/index.ts'

const FILE = new URL('../../../../../shared/vectors/acl/interpolation.json', import.meta.url)
const TITLE = 'names of the originals (skipped: the folder shared/vectors is absent)'

interface Case {
  readonly id: string
  readonly template: string
  readonly vars: Readonly<Record<string, string>>
  readonly result?: string
  readonly refused?: true
}

/** At write and at a login, as a rule of a method that has the variables. */
function outcome({ template, vars }: Case): string | undefined {
  const variables = Object.fromEntries(Object.entries(vars).map(([name, value]) => [`value.${name}`, value]))
  try {
    checkTemplate(template, Object.keys(variables))
    return interpolate(template, variables)
  } catch (error) {
    expect(error).toMatchObject({ status: 400 })
    return undefined
  }
}

describe.skipIf(!existsSync(FILE))(TITLE, () => {
  const cases = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as { cases: readonly Case[] }).cases : []

  it.each(cases)('$id $template', (one) => {
    expect(outcome(one)).toBe(one.refused ? undefined : one.result)
  })
})
