import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ownerProblems, releaseProblems } from '../../../tools/check-release.mjs'

const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8'))
const FILLED = {
  ...manifest,
  repository: { type: 'git', url: 'git+https://github.com/someone/strongroom.git' },
  homepage: 'https://github.com/someone/strongroom#readme',
  bugs: { url: 'https://github.com/someone/strongroom/issues' },
  author: 'Some One',
}

describe('releaseProblems', () => {
  it('accepts a manifest with all fields', () => {
    expect(releaseProblems(FILLED)).toEqual([])
  })

  it.each([
    { repository: 'github:someone/strongroom' },
    { repository: 'someone/strongroom' },
    { repository: 'git@github.com:someone/strongroom.git' },
    { bugs: 'https://github.com/someone/strongroom/issues' },
    { bugs: { email: 'security@strongroom.dev' } },
    { author: { name: 'Some One' } },
  ])('accepts %j', (fields) => {
    expect(releaseProblems({ ...FILLED, ...fields })).toEqual([])
  })

  const UNUSABLE = [undefined, null, '', ' ', 'TODO', {}, { url: '' }, [], 7, 'https://example.com/strongroom', 'https://']
  it.each(['repository', 'homepage', 'bugs'])('reports %s if it is missing or not a URL', (field) => {
    for (const value of UNUSABLE)
      expect(releaseProblems({ ...FILLED, [field]: value })).toEqual([expect.stringContaining(`: ${field}: `)])
  })

  it('reports a missing author', () => {
    for (const author of [undefined, null, '', ' ', {}, { name: '' }, { email: 'a@strongroom.dev' }])
      expect(releaseProblems({ ...FILLED, author })).toEqual([expect.stringContaining(': author: ')])
  })

  it('reports all four missing fields of an empty manifest', () => {
    expect(releaseProblems({})).toHaveLength(4)
  })
})

describe('ownerProblems', () => {
  it.each(['* @someone', '# rooms\n\nsrc/core/ @org/core-team a@strongroom.dev\n', '*\ta@strongroom.dev'])(
    'accepts %j',
    (text) => {
      expect(ownerProblems(text)).toEqual([])
    },
  )

  it.each(['', '# only a comment @someone', '*', '* # @someone', 'src/ someone'])('refuses %j, which names no owner', (text) => {
    expect(ownerProblems(text)).toHaveLength(1)
  })
})

describe('package.json', () => {
  it('has scripts that build before packing and check before publishing', () => {
    expect(manifest.scripts.prepack).toContain('run --silent build')
    expect(manifest.scripts.prepublishOnly).toBe('node tools/check-release.mjs')
  })
})
