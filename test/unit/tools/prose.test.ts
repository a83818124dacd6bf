import { describe, expect, it } from 'vitest'
import { messages, titles } from '../../../tools/prose.mjs'

const paths = (...rows: string[]) => titles(rows.join('\n')).map(({ path }) => path)

describe('titles of a test file', () => {
  it('begin with the titles of the enclosing groups', () => {
    expect(
      paths(
        "describe('a lease', () => {",
        "  it('ends', async () => {",
        '  })',
        '})',
        '',
        "it.each([1, 2])('counts to %d', (n) => {",
        '})',
      ),
    ).toEqual(['a lease', 'a lease > ends', 'counts to %d'])
  })

  it('are found after a table of several lines, on a line of their own and with nested templates', () => {
    expect(
      paths(
        'describe.each([',
        "  ['a', 1, 2],",
        "] as const)('a key of type %s', (type) => {",
        '  it(',
        '    "is refused if it\'s too long",',
        '    async () => {},',
        '  )',
        "  it.each(cells(type))('recovers if $call fails', recover)",
        '  it.each([',
        "    'rotate',",
        `  ])(\`%s\${note ? \` (\${note})\` : ''} is refused\`, async () => {`,
        '})',
      ),
    ).toEqual([
      'a key of type %s',
      "a key of type %s > is refused if it's too long",
      'a key of type %s > recovers if $call fails',
      `a key of type %s > %s\${note ? \` (\${note})\` : ''} is refused`,
    ])
  })
})

describe('messages of a source', () => {
  it('contain the apostrophes of a literal in double quotes', () => {
    expect(messages(`f("The pod's containers. Default: none.").default('')`).map(({ text }) => text)).toEqual([
      "The pod's containers. Default: none.",
    ])
  })
})
