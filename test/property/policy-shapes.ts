/** Texts of any length that are hard to parse for the parsers of policies and password policies. */

import type { Kernel } from '../../src/index.ts'

/** The maximum size of a policy in bytes. */
export const BOUND = 262_144

const repeated =
  (piece: string, head = '', tail = '') =>
  (size: number) =>
    head + piece.repeat(Math.floor((size - head.length - tail.length) / piece.length)) + tail

export const SHAPES: Readonly<Record<string, (size: number) => string>> = {
  quotes: repeated('"'),
  'one string': repeated('a', 'path "', '" {}'),
  'one escaped string': repeated('\\n', 'path "', '" {}'),
  'an open string': repeated('a', 'path "'),
  backslashes: repeated('\\', 'path "'),
  dollars: repeated('$', 'path "', '" {}'),
  interpolations: repeated('$' + '{', 'path "', '" {}'),
  'closed interpolations': repeated('$' + '{}', 'path "', '" {}'),
  comments: repeated('#\n'),
  'short comments': repeated('/**/'),
  'open comments': repeated('/*'),
  'an open comment': repeated('*', '/*'),
  slashes: repeated('/'),
  lines: repeated('\n'),
  blanks: repeated(' '),
  'blanks between': repeated(' ', 'a', '!'),
  'blanks in base64': repeated(' ', 'aaaa', '='),
  'paddings in base64': repeated('=', 'a', '!'),
  base64: repeated('QUJD'),
  'base64 of a policy': (size) =>
    Buffer.from(repeated('path "a" { policy = "read" }\n')(Math.floor((size * 3) / 4))).toString('base64'),
  heredocs: repeated('<<E\n', 'path "a" { comment = '),
  'the name of a heredoc': repeated('E', 'path "a" { comment = <<'),
  'a long heredoc': repeated('x\n', 'path "a" { comment = <<E\n', 'E\n}'),
  'an indented heredoc': repeated('  x\n', 'path "a" { comment = <<-E\n', '  E\n}'),
  'the end of a heredoc': repeated(' ', 'path "a" { comment = <<-E\nx\n', 'E\n}'),
  digits: repeated('9', 'path "a" { comment = ', ' }'),
  'digits and letters': repeated('9', 'path "a" { comment = ', 'x }'),
  fractions: repeated('0', 'path "a" { comment = 1.', 'x }'),
  minuses: repeated('-', 'path "a" { comment = ', ' }'),
  words: repeated('a ', 'path '),
  'one word': repeated('a'),
  templates: repeated('{{a}}', 'path "', '" {}'),
  'open templates': repeated('{{', 'path "', '" {}'),
  'many templates': repeated('path "{{identity.entity.name}}/{{a.b.c.d}}" {}\n'),
  'dots in templates': repeated(`path "{{${'.'.repeat(4000)}}}" {}\n`),
  'blanks in templates': repeated(`path "{{${' '.repeat(4000)}}}" {}\n`),
  'stars in paths': repeated(`path "${'*'.repeat(4000)}" {}\n`),
  'plus signs in paths': repeated(`path "${'+/'.repeat(2000)}" {}\n`),
  'slashes in paths': repeated(`path "${'/'.repeat(4000)}" {}\n`),
  brackets: repeated('['),
  braces: repeated('{'),
  'nesting in a list': repeated(`${'['.repeat(20)}${']'.repeat(20)},`, 'path "a" { allowed_parameters = { x = [', '] } }'),
  'one path many times': repeated('path "a" { capabilities = ["read"] allowed_parameters = { x = [1] } }\n'),
  'many values': repeated('{},', 'path "a" { allowed_parameters = { x = [[', ']] } }'),
  'many names': repeated('"x"=[],', 'path "a" { allowed_parameters = {', '} }'),
  'many required': repeated('"a",', 'path "a" { required_parameters = [', '] }'),
  'many capabilities': repeated('"read",', 'path "a" { capabilities = [', '] }'),
  'JSON, one string': repeated('\\u0041', '{"path":{"', '":{}}}'),
  'JSON, one path': repeated('"a":{},', '{"path":{', '"a":{}}}'),
  'JSON, lists': repeated('{"a":{}},', '{"path":[', '{}]}'),
  'JSON, spaces': repeated(' ', '{', '}'),
  'JSON, deep': repeated('[', '{"path":'),
  'JSON, a number': repeated('1', '{"path":', '}'),
  'a charset': repeated('a', 'length = 20\nrule "charset" { charset = "', '" }'),
  'an unprintable charset': repeated('a', 'length = 20\nrule "charset" { charset = "', '\\t" }'),
  'many charsets': repeated('rule "charset" { charset = "ab" }\n', 'length = 20\n'),
}

type Take = (text: string) => Promise<unknown>

/** The operations that read such a text, grouped by parser. Each resolves if the text is accepted or refused with 400. */
export function readersOf(kernel: Kernel): readonly Readonly<Record<string, Take>>[] {
  const byPath =
    (path: string, name: string): Take =>
    async (text) => {
      const headers = { 'X-Service-Token': kernel.rootToken }
      const { status } = await kernel.handle({ method: 'POST', path: `/v1/sys/${path}`, headers, body: { [name]: text } })
      if (status !== 204 && status !== 200 && status !== 400) throw new Error(`status ${status}`)
      return status
    }
  const typed =
    (call: Take): Take =>
    (text) =>
      call(text).then(
        () => 200,
        (error: unknown) => {
          if ((error as { status?: number }).status !== 400) throw error
          return 400
        },
      )
  return [
    {
      'a policy by path': byPath('policies/acl/p', 'policy'),
      'a policy by the older path': byPath('policy/p', 'rules'),
      'a policy in the typed view': typed((policy) => kernel.policies.writePolicy({ name: 'p', policy })),
    },
    {
      'a password policy by path': byPath('policies/password/p', 'policy'),
      'a password policy in the typed view': typed((policy) => kernel.policies.writePasswordPolicy({ name: 'p', policy })),
    },
  ]
}
