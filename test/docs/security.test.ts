/**
 * Every promise of SECURITY.md names a test. Only sections about assumptions and limits are exempt, and items that begin with "**Your
 * part.**", which say what the application must do.
 */
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)
const EXEMPT = [
  'Security',
  'Reporting',
  'Threat model',
  'Assumptions',
  'Timing',
  'Known limits',
  'Not a vulnerability',
  'Parts that this library does not have',
]
const TEST_FILE = /\(?(test\/[\w./-]+\.test\.ts)/g

interface Item {
  readonly section: string
  readonly text: string
}

/** Bullets, table rows and paragraphs, each with its continuation lines. A row also contains the paragraph that introduces its table. */
function itemsOf(page: string): readonly Item[] {
  const items: Item[] = []
  let section = ''
  let open = false
  let introduction = ''
  for (const line of page.split('\n')) {
    const heading = /^#+ (.*)/.exec(line)?.[1]
    if (heading !== undefined) {
      section = heading
      introduction = ''
    }
    if (heading !== undefined || line.trim() === '' || /^\|-/.test(line)) open = false
    else if (line.startsWith('|')) items.push({ section, text: `${line} ${introduction}` })
    else if (open && !line.startsWith('- ')) {
      const last = items.pop() as Item
      items.push({ section, text: `${last.text} ${line.trim()}` })
    } else {
      items.push({ section, text: line })
      open = true
    }
    const last = items.at(-1)
    if (last && !/^[-|]/.test(last.text)) introduction = last.text
  }
  return items
}

const isHeaderRow = ({ text }: Item): boolean => /^\| (attacker|advisory|value) \|/.test(text)
/** A paragraph that introduces a list or a table ends with a colon or is one bold line. */
const isIntroduction = ({ text }: Item): boolean => text.endsWith(':') || /^\*\*[^*]+\*\*$/.test(text)
const isYours = ({ text }: Item): boolean => text.startsWith('- **Your part.**')

const ITEMS = itemsOf(readFileSync(new URL('SECURITY.md', root), 'utf8'))
const PROMISES = ITEMS.filter(
  (item) => !EXEMPT.includes(item.section) && !isHeaderRow(item) && !isIntroduction(item) && !isYours(item),
)

describe('SECURITY.md', () => {
  it('contains more than 50 statements that need a test', () => expect(PROMISES.length).toBeGreaterThan(50))

  it.each(PROMISES.map(({ section, text }) => [section, text.slice(0, 80), text] as const))(
    'names an existing test file for the statement in the section "%s": %s',
    (_, __, text) => {
      const files = [...text.matchAll(TEST_FILE)].map(([, file]) => file as string)
      expect(files.length).toBeGreaterThan(0)
      expect(files.filter((file) => !existsSync(new URL(file, root)))).toEqual([])
    },
  )
})
