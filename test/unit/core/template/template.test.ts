/**
 * The expected results come from Vault's tests and recorded answers.
 */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { KernelError } from '../../../../src/core/base/errors.ts'
import { compileTemplate } from '../../../../src/core/template/index.ts'
import { seededEntropy } from '../../../../src/testing/index.ts'

const NOW = Date.UTC(2026, 10, 21, 10, 14, 38, 107)
const FIELDS = { DisplayName: 'token-app', RoleName: 'report-2026', Empty: '', Accent: 'Größe-é€😀' }

const run = (text: string, fields: Record<string, string> = FIELDS): string =>
  compileTemplate(text, 'username_template').run({ fields, now: NOW, entropy: seededEntropy(1) })

/** Returns the message of the refusal. Any other error fails the test. */
function refusal(text: string, fields: Record<string, string> = FIELDS): string {
  try {
    run(text, fields)
  } catch (error) {
    expect(error).toBeInstanceOf(KernelError)
    expect(error).toMatchObject({ status: 400, message: expect.stringMatching(/^username_template: /) })
    return (error as Error).message
  }
  throw new Error('was not refused')
}

describe('user name templates as in Vault', () => {
  it.each([
    ['{{.DisplayName}}.{{.RoleName}}', 'token-app.report-2026'],
    ['{{ .DisplayName | truncate 5 | uppercase }}_{{ .RoleName | replace "-" "_" }}', 'TOKEN_report_2026'],
    ['{{.RoleName | sha256 | truncate 16}}', '525ca6befccd79a9'],
    ['{{.RoleName | truncate_sha256 9}}', 'r4c418a9c'],
    ['{{.DisplayName | hex}}', '746f6b656e2d617070'],
    ['{{.RoleName | base64}}', 'cmVwb3J0LTIwMjY='],
    ['{{ printf "%s.%s" .RoleName (.DisplayName | lowercase) | truncate 12 }}', 'report-2026.'],
    ['{{if eq .RoleName "report-2026"}}reporter{{else}}other{{end}}', 'reporter'],
    ['a{{- /* a comment */ -}}  b', 'ab'],
    ['{{ "bHV4" | decode_base64 }}', 'lux'],
    ['{{ "666f78" | decode_hex }}', 'fox'],
    ['{{ printf "%5d|%-6s|%x" 42 "ab" "hi" }}', '   42|ab    |6869'],
    ['{{ if and (glob "report-*" .RoleName) (ne .DisplayName "x") }}globbed{{ end }}', 'globbed'],
    ['{{ len .RoleName }}', '11'],
    ['{{ if .RoleName }}{{ index .RoleName 0 }}-{{ slice .RoleName 2 4 }}{{ end }}', '114-po'],
    ['{{ $n := .RoleName }}{{ $n }}!', 'report-2026!'],
    ['{{ "a\\x41\\u00e9" | printf "%s" }}', 'aAé'],
    ['{{ `raw text` }}', 'raw text'],
    ['{{.RoleName}}{{.RoleName | lowercase}}{{.RoleName | uppercase}}', 'report-2026report-2026REPORT-2026'],
    ['{{ print "a" 1 2 "b" }}', 'a1 2b'],
  ])('evaluate %s', (text, expected) => {
    expect(run(text)).toBe(expected)
  })

  it.each([
    ['{{unix_time}}', /^1795256078$/],
    ['{{unix_time_millis}}', /^1795256078107$/],
    ['{{random 20}}', /^[0-9A-Za-z]{20}$/],
    ['{{random 0}}', /^$/],
    ['{{uuid}}', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
    ['{{timestamp "20060102150405"}}x{{random 6}}', /^20261121101438x[0-9A-Za-z]{6}$/],
    ['fixed-{{random 4 | lowercase}}', /^fixed-[0-9a-z]{4}$/],
  ])('evaluate time and randomness in %s', (text, expected) => {
    expect(run(text)).toMatch(expected)
  })

  it.each([
    '{{.RoleName',
    '{{.Password}}',
    '{{nosuch}}',
    '{{random}}',
    '{{random "x"}}',
    '{{truncate 0 "abc"}}',
    '{{truncate_sha256 8 "abcdefghijkl"}}',
    '{{decode_hex "zz"}}',
    '{{decode_base64 "?"}}',
    '{{if .RoleName}}',
    '{{end}}',
    '{{"a" | truncate}}',
    '{{template "x"}}',
  ])('refuse %s', (text) => {
    expect(refusal(text)).not.toContain('abc')
  })

  it('are refused with a pipe that no function follows, although Vault accepts them', () => {
    expect(refusal('{{.RoleName | }}')).toContain('pipe')
  })
})

describe('in templates', () => {
  const LONG = 'thisisareallylongstring'
  const CAPITALS = 'Some string with Multiple Capitals LETTERS'

  it.each([
    [9, LONG, 't4bb25641'],
    [12, LONG, 'this704cd12b'],
    [22, LONG, 'thisisareallyl7f978be6'],
    [23, LONG, LONG],
    [20, CAPITALS, 'Some string 6841cf80'],
    [20, 'abcdefghijklmnopqrstuvwxyz', 'abcdefghijkl872808ff'],
  ])('truncate_sha256 %i %s returns the value of Vault', (length, text, expected) => {
    expect(run(`{{.T | truncate_sha256 ${length}}}`, { T: text })).toBe(expected)
  })

  it('truncate counts bytes and refuses negative lengths', () => {
    expect(run('{{.T | truncate 10}}', { T: CAPITALS })).toBe('Some strin')
    expect(refusal('{{.T | truncate -1}}', { T: 'x' })).toContain('truncate')
  })

  it('sha256 returns the hexadecimal digest', () => {
    expect(run('{{.T | sha256}}', { T: CAPITALS })).toBe('da9872dd96609c72897defa11fe81017a62c3f44339d9d3b43fe37540ede3601')
    expect(run('{{sha256 "foobar"}}')).toBe('c3ab8ff13720e8ad9047dd39466b3c8974e592c2fa383d4a3960714caef0c4f2')
  })

  it('truncate and truncate_sha256 omit a character that does not fit completely', () => {
    // Bytes per character: G r ö(2) ß(2) e - é(2) €(3) 😀(4)
    expect(run('{{.Accent | truncate 3}}')).toBe('Gr')
    expect(run('{{.Accent | truncate 4}}')).toBe('Grö')
    expect(run('{{.Accent | truncate 12}}')).toBe('Größe-é')
    expect(run('{{.Accent | truncate 16}}')).toBe('Größe-é€')
    expect(run('{{.Accent | truncate 17}}')).toBe('Größe-é€😀')
    const rest = createHash('sha256').update('öße-é€😀').digest('hex').slice(0, 8)
    expect(run('{{.Accent | truncate_sha256 11}}')).toBe(`Gr${rest}`)
  })

  it('a result that is not valid UTF-8 is refused', () => {
    expect(refusal('{{slice .Accent 0 3}}')).toContain('UTF-8')
    expect(refusal('{{"\\xff"}}')).toContain('UTF-8')
    expect(refusal('{{"ff" | decode_hex}}')).toContain('UTF-8')
    expect(run('{{slice .Accent 0 3 | hex}}')).toBe('4772c3')
    expect(run('{{"\\xff" | hex}}')).toBe('ff')
  })
})

describe('printf in templates', () => {
  it.each([
    ['"%s"', '"é"', 'é'],
    ['"%5s|"', '"é"', '    é|'],
    ['"%-5s|"', '"é"', 'é    |'],
    ['"%.2s"', '"éàü"', 'éà'],
    ['"%5.1s"', '"éàü"', '    é'],
    ['"%d%%"', '7', '7%'],
    ['"%05d"', '-42', '-0042'],
    ['"%+d"', '42', '+42'],
    ['"%.5d"', '-42', '-00042'],
    ['"%8.5d|"', '42', '   00042|'],
    ['"%-05d|"', '42', '42   |'],
    ['"%x"', '255', 'ff'],
    ['"%X"', '"é"', 'C3A9'],
    ['"%.1x"', '"hi"', '68'],
    ['"%x"', '-42', '-2a'],
    ['"%v"', 'true', 'true'],
    ['"%6v|"', 'false', ' false|'],
    ['"%v"', '12', '12'],
    ['"%q"', '"a\\"b\\\\\\n\\x00\\x7fé\\u00ad\\U0001F600"', '"a\\"b\\\\\\n\\x00\\x7fé\\u00ad😀"'],
    ['"%q"', '"\\xff"', '"\\xff"'],
    ['"%s|%s"', '"a"', 'a|%!s(MISSING)'],
    ['"x"', '1 "a" true', 'x%!(EXTRA int=1, string=a, bool=true)'],
    ['"%d"', '"hi"', '%!d(string=hi)'],
    ['"%5d"', '"hi"', '%!d(string=   hi)'],
    ['"%s"', '1', '%!s(int=1)'],
    ['"%q"', '1', '%!q(int=1)'],
    ['"%d"', 'true', '%!d(bool=true)'],
    ['"%q"', '"\\U000E0001"', '"\\U000e0001"'],
  ])('formats as %s the value %s', (format, value, expected) => {
    expect(run(`{{printf ${format} ${value}}}`)).toBe(expected)
  })

  it.each([
    ['"%z"', '1'],
    ['"%"', ''],
    ['"%*d"', '1 2'],
    ['"%[1]d"', '1'],
    ['"%05s"', '"a"'],
    ['"%+v"', '1'],
    ['"%s"', '.'],
    ['"%9999d"', '1'],
    ['"%.9999d"', '1'],
    ['"%99999999d"', '1'],
  ])('refuses the format %s with %s', (format, value) => {
    expect(refusal(`{{printf ${format} ${value}}}`)).toMatch(/printf|one at a time|bytes/)
  })
})

describe('the template language', () => {
  it.each([
    ['', ''],
    ['plain } text {', 'plain } text {'],
    ['{{""}}', ''],
    ['  {{- 3 -}}  x', '3x'],
    ['{{-3}}', '-3'],
    ['a {{/* {{ }} */}} b', 'a  b'],
    ['{{\n"a"\n|\nuppercase\n}}', 'A'],
    ['{{"}}"}}', '}}'],
    ['{{"a"|uppercase|lowercase}}', 'a'],
    ['{{print random_is_not_here}}', undefined],
    ['{{print unix_time "x"}}', '1795256078x'],
    ['{{true}}{{false}}', 'truefalse'],
    ['{{`a\\n\r`}}', 'a\\n'],
    ['{{"\\101\\t"}}', 'A\t'],
    ['{{(.RoleName)}}', 'report-2026'],
    ['{{with .RoleName}}{{.}}/{{$.DisplayName}}{{end}}', 'report-2026/token-app'],
    ['{{with .Empty}}x{{else}}{{.RoleName}}{{end}}', 'report-2026'],
    ['{{with .Empty}}x{{else with .RoleName}}{{.}}{{end}}', 'report-2026'],
    ['{{with $x := .RoleName}}{{$x}}{{end}}', 'report-2026'],
    ['{{if .Empty}}a{{else if eq .RoleName "x" "report-2026"}}b{{else}}c{{end}}', 'b'],
    ['{{if .Empty}}a{{else if .Empty}}b{{else}}c{{end}}', 'c'],
    ['{{if $x := .Empty}}a{{else}}[{{$x}}]{{end}}', '[]'],
    ['{{$x := "a"}}{{if true}}{{$x = "b"}}{{end}}{{$x}}', 'b'],
    ['{{$x := "a"}}{{if true}}{{$x := "b"}}{{$x}}{{end}}{{$x}}', 'ba'],
    ['{{$x := 1}}{{$y := 2}}{{$x := 3}}{{$x}}{{$y}}', '32'],
    ['{{if 0}}a{{end}}{{if 1}}b{{end}}{{if false}}c{{end}}{{if ""}}d{{end}}{{if .}}e{{end}}', 'be'],
    ['{{and "a" "" "b"}}|{{and "a" "b"}}|{{or "" "b" "c"}}|{{or "" 0}}', '|b|b|0'],
    ['{{or "a" (random -1)}}{{and "" (random -1)}}', 'a'],
    ['{{not ""}}{{not 1}}', 'truefalse'],
    ['{{lt 1 2}}{{le "a" "a"}}{{gt "b" "a"}}{{ge 1 2}}{{ne true false}}', 'truetruetruefalsetrue'],
    ['{{eq 1 2 3}}{{eq 3 2 3}}', 'falsetrue'],
    ['{{slice "abc"}}{{slice "abc" 1}}{{slice "abc" 1 2}}{{slice "abc" 3}}', 'abcbcb'],
    ['{{replace "a" "$&" "banana"}}', 'b$&n$&n$&'],
    ['{{replace "" "-" "é€"}}', '-é-€-'],
    ['{{glob "*" ""}}{{glob "" ""}}{{glob "" "x"}}{{glob "a*c*e" "abcde"}}{{glob "a*ba" "ab"}}', 'truetruefalsetruefalse'],
    ['{{uppercase "größe"}}{{lowercase "ÄÖ"}}', 'GRÖßEäö'],
    ['{{eq (index "a" 0) 97}}', 'true'],
  ])('evaluates %s', (text, expected) => {
    if (expected === undefined) refusal(text)
    else expect(run(text)).toBe(expected)
  })

  it.each([
    ['{{}}', 'value is missing'],
    ['{{/* x}}', 'comment'],
    ['{{/* x */ .RoleName}}', 'comment'],
    ['{{"a}}', 'not closed'],
    ['{{`a}}', 'not closed'],
    ['{{"a\n"}}', 'not closed'],
    ['{{"\\q"}}', 'escape'],
    ['{{"\\400"}}', 'escape'],
    ['{{"\\ud800"}}', 'escape'],
    ['{{"\\U00110000"}}', 'escape'],
    ['{{1.5}}', 'decimal integers'],
    ['{{0x1f}}', 'decimal integers'],
    ['{{010}}', 'decimal integers'],
    ['{{9007199254740993}}', 'decimal integers'],
    ["{{'a'}}", 'unexpected character'],
    ['{{"a""b"}}', 'unexpected text at its end'],
    ['{{"a" "b"}}', 'unexpected text at its end'],
    ['{{print "a""b"}}', 'white space'],
    ['{{"a" | "b"}}', 'pipe must be followed'],
    ['{{| uppercase}}', 'value is missing'],
    ['{{(.RoleName}}', 'parenthesis'],
    ['{{.RoleName)}}', 'unexpected text at its end'],
    ['{{.RoleName.Length}}', 'does not exist'],
    ['{{("x").Length}}', 'does not exist'],
    ['{{.constructor}}', 'does not exist'],
    ['{{.__proto__}}', 'does not exist'],
    ['{{constructor}}', 'unknown function'],
    ['{{.}}', 'one at a time'],
    ['{{print .}}', 'one at a time'],
    ['{{$x}}', 'undeclared'],
    ['{{$x = 1}}', 'undeclared'],
    ['{{if true}}{{$x := 1}}{{end}}{{$x}}', 'undeclared'],
    ['{{(($x := 1))}}', 'undeclared'],
    ['{{end}}', 'without a matching "if" or "with"'],
    ['{{else}}', 'without a matching "if" or "with"'],
    ['{{if 1}}{{else}}{{else}}{{end}}', 'second else'],
    ['{{if 1}}{{else}}', 'no end'],
    ['{{if 1}}{{end 2}}', 'unexpected text at its end'],
    ['{{if 1}}{{else 2}}{{end}}', 'unexpected text at its end'],
    ['{{if}}{{end}}', 'value is missing'],
    ['{{range 3}}{{end}}', 'range is not supported'],
    ['{{define "x"}}{{end}}', 'define is not supported'],
    ['{{nil}}', 'nil is not supported'],
    ['{{eq 1 "1"}}', 'different kinds'],
    ['{{eq . .}}', 'different kinds'],
    ['{{eq 1}}', 'at least 2'],
    ['{{lt true false}}', 'no order'],
    ['{{ne 1 2 3}}', 'takes 2'],
    ['{{index "a" 1}}', 'within the text'],
    ['{{index "a" -1}}', 'within the text'],
    ['{{slice "abc" 2 1}}', 'within the text'],
    ['{{slice "abc" 0 4}}', 'within the text'],
    ['{{slice "abc" 1 2 3}}', '1 to 3'],
    ['{{len 3}}', 'requires a text operand'],
    ['{{truncate "3" "abc"}}', 'requires a number operand'],
    ['{{random -1}}', 'random'],
    ['{{decode_hex "abc"}}', 'decode_hex'],
    ['{{uppercase "\\xff"}}', 'UTF-8'],
  ])('refuses %s', (text, rule) => {
    expect(refusal(text)).toContain(rule)
  })

  it('returns new random values in each run', () => {
    const template = compileTemplate('{{random 20}}', 'x')
    const entropy = seededEntropy(7)
    const made = new Set(Array.from({ length: 50 }, () => template.run({ fields: {}, now: 0, entropy })))
    expect(made.size).toBe(50)
  })
})

describe('timestamp in templates', () => {
  it.each([
    ['2006-01-02T15:04:05Z07:00', '2026-11-21T10:14:38Z'],
    ['2006-01-02T15:04:05.000-07:00', '2026-11-21T10:14:38.107+00:00'],
    ['Mon Jan _2 15:04:05 2006', 'Sat Nov 21 10:14:38 2026'],
    ['Monday, 02-Jan-06 15:04:05 MST', 'Saturday, 21-Nov-26 10:14:38 UTC'],
    ['January 2, 3:04PM', 'November 21, 10:14AM'],
    ['1/2/06 03:4:5 pm', '11/21/26 10:14:38 am'],
    ['002 __2', '325 325'],
    ['.000000 ,00 .999999 .9', '.107000 ,10 .107 .1'],
    ['-0700 -07 -070000 -07:00:00 Z0700 Z07', '+0000 +00 +000000 +00:00:00 Z Z'],
    ['Janet Monkey', 'Janet Monkey'],
    ['_2006', '_2026'],
  ])('formats %s', (layout, expected) => {
    expect(run(`{{timestamp ${JSON.stringify(layout)}}}`)).toBe(expected)
  })

  it('formats midnight and noon with AM and PM, and days of one digit', () => {
    const at = (ms: number, layout: string): string =>
      compileTemplate(`{{timestamp "${layout}"}}`, 'x').run({ fields: {}, now: ms, entropy: seededEntropy(1) })
    expect(at(Date.UTC(2028, 2, 1), '3PM 15 _2 __2 002 .999')).toBe('12AM 00  1  61 061 ')
    expect(at(Date.UTC(2028, 2, 1, 12), '3pm 03')).toBe('12pm 12')
    expect(at(Date.UTC(2028, 2, 1, 13), '3PM')).toBe('1PM')
  })
})
