/** The skills in the package have the form that coding agents read. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)
const SKILLS = readdirSync(new URL('skills', root))

describe('skills', () => {
  it('cover encryption, rotation, databases, tokens, replication and tests', () => {
    expect(SKILLS.sort()).toEqual([
      'database-credentials',
      'encrypt-a-column',
      'replication',
      'rotate-and-rewrap',
      'tests',
      'tokens-and-policies',
    ])
  })

  it('are in the package', () => {
    const { files } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { files: string[] }
    expect(files).toContain('skills')
  })

  for (const skill of SKILLS)
    it(`${skill} has a name, a description and a snippet`, () => {
      const text = readFileSync(new URL(`skills/${skill}/SKILL.md`, root), 'utf8')
      const [, head] = /^---\n([\s\S]*?)\n---\n/.exec(text) ?? []
      const fields = Object.fromEntries((head ?? '').split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)))
      expect(fields).toEqual({ name: `strongroom-${skill}`, description: expect.stringMatching(/^[A-Z].{80,1000}\.$/) })
      expect(text).toContain('```ts\n')
    })
})
