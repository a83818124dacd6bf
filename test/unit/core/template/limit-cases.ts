/** Templates designed to take much time or memory. The limits refuse them, or they run quickly. A measured file also bounds the time. */
import { describe, expect, it } from 'vitest'
import { KernelError } from '../../../../src/core/base/errors.ts'
import { compileTemplate } from '../../../../src/core/template/index.ts'
import { seededEntropy } from '../../../../src/testing/index.ts'

const LONGEST = 32_768

/** Compiles and runs a template. Returns its result or the message of the refusal. */
export function outcomeOf(text: string, fields: Record<string, string> = { A: 'abc' }): string {
  try {
    return compileTemplate(text, 'username_template').run({ fields, now: 0, entropy: seededEntropy(1) })
  } catch (error) {
    if (!(error instanceof KernelError) || error.status !== 400) throw error
    return error.message
  }
}

/** Runs a template. A measured run repeats it and bounds its processor time. */
export type Attempt = (run: () => string) => Promise<string>

const fill = (part: string, end = ''): string => part.repeat(Math.floor((LONGEST - end.length) / part.length)) + end
const nested = (open: string, inner: string, close: string): string => {
  const depth = Math.floor((LONGEST - inner.length) / (open.length + close.length))
  return open.repeat(depth) + inner + close.repeat(depth)
}

export function describeTemplateLimits(attempt: Attempt): void {
  describe('a hostile user name template', () => {
    it.each([
      ['100,000 characters', 'a'.repeat(100_000), 'at most 32768 characters'],
      ['text of the maximum length', fill('a'), 'more than 4096 bytes'],
      ['open braces', fill('{{'), 'unexpected character'],
      ['closed braces', fill('{{}}'), 'value is missing'],
      ['comments', fill('{{/**/}}'), ''],
      ['an unterminated comment', `{{/*${'*'.repeat(30_000)}`, 'not closed'],
      ['an unterminated string', `{{"${'a'.repeat(30_000)}`, 'not closed'],
      ['escapes', `{{"${'\\'.repeat(30_000)}`, 'not closed'],
      ['white space', `{{${' '.repeat(30_000)}`, 'not closed'],
      [
        'parentheses',
        nested('(', '1', ')')
          .replace(/^/, '{{')
          .slice(0, LONGEST - 2)
          .concat('}}'),
        'pipes and parentheses',
      ],
      ['nested ifs', nested('{{if 1}}', 'x', '{{end}}'), 'levels deep'],
      ['else if after else if', `{{if 0}}${fill('{{else if 0}}').slice(0, 13 * 2000)}{{end}}`, 'levels deep'],
      ['pipes', `{{1${'|not'.repeat(8000)}}}`, 'pipes and parentheses'],
      ['fields of fields', `{{${'.A'.repeat(16_000)}}}`, 'does not exist'],
      ['digits', `{{${'9'.repeat(30_000)}}}`, 'decimal integers'],
      ['signs', `{{${'-'.repeat(30_000)}}}`, 'unexpected character'],
      ['a string that doubles repeatedly', `{{$a := "aa"}}${'{{$a = print $a $a}}'.repeat(1500)}{{$a}}`, 'more than 4096 bytes'],
      ['many digests of long strings', `{{$a := printf "%4096d" 1}}${'{{sha256 $a}}'.repeat(2000)}`, 'too much work'],
      ['many operands', `{{$a := printf "%4096d" 1}}{{print${' $a'.repeat(9000)}}}`, 'too much work'],
      ['many case conversions', `{{$a := printf "%4096d" 1}}${'{{$b := uppercase $a}}'.repeat(1000)}`, 'too much work'],
      ['many replacements', `{{$a := printf "%4096d" 1}}${'{{$b := replace "" "" $a}}'.repeat(1000)}`, 'too much work'],
      ['a replacement that grows', '{{$a := printf "%4000d" 1}}{{replace " " $a $a}}', 'more than 4096 bytes'],
      ['a long random string', '{{random 9007199254740991}}', 'more than 4096 bytes'],
      ['many random strings', '{{$a := random 4096}}'.repeat(1500), 'too much work'],
      ['many UUIDs', fill('{{$a := uuid}}'), 'too much work'],
      ['a wide number', '{{printf "%999999d" 1}}', 'more than 4096 bytes'],
      ['many wide numbers', `{{printf "${'%4000d'.repeat(4000)}"${' 1'.repeat(4000)}}}`, 'more than 4096 bytes'],
      ['many verbs', `{{printf "${'%'.repeat(30_000)}"}}`, 'more than 4096 bytes'],
      ['many printf flags', `{{printf "%${'-'.repeat(30_000)}" 1}}`, 'printf supports'],
      ['a layout of zeros', `{{timestamp "${`.${'0'.repeat(15_000)}`.repeat(2)}1"}}`, 'more than 4096 bytes'],
      ['many glob stars', `{{glob "${'*a'.repeat(15_000)}" .A}}`, 'false'],
      ['nested quotes', `{{"${'\\"'.repeat(4000)}" | printf "%q"}}`, 'more than 4096 bytes'],
    ])('is run or refused within limits: %s', async (_name, text, expected) => {
      const outcome = await attempt(() => outcomeOf(text))
      if (expected === '' || expected === 'false') expect(outcome).toBe(expected)
      else expect(outcome).toContain(expected)
    })

    it('is run or refused within limits for long fields', async () => {
      const long = { A: 'é'.repeat(10_000) }
      for (const [text, expected] of [
        ['{{.A | truncate 10}}', 'ééééé'],
        ['{{.A}}', 'more than 4096 bytes'],
        ['{{.A}}{{.A}}{{.A}}', 'more than 4096 bytes'],
        ['{{len .A}}', '20000'],
        ['{{if eq .A .A}}same{{end}}', 'same'],
        ['{{eq .A .A .A}}', 'too much work'],
      ] as const) {
        expect(await attempt(() => outcomeOf(text, long))).toContain(expected)
      }
    })
  })
}
