/**
 * Help texts in Markdown.
 */
import type { MountRecord } from '../contract/mount-record.ts'
import type { AnyOperation, Operations } from '../contract/operation.ts'
import { wireFields } from '../contract/wire-fields.ts'

/** @param here The operations at the path itself; empty for a mount and for path levels without operations. */
export function helpText(path: string, mount: MountRecord, here: Operations, all: Operations): string {
  const found = Object.values(here)
  const atMount = `${path}/` === mount.path || path === mount.path
  const parts = found.length > 0 && !atMount ? atPath(path, found) : atRoot(path, mount)
  const below = Object.values(all).filter((op) => atMount || !found.includes(op))
  const listed = below.length > 0 ? ['## PATHS', pathsOf(below)] : []
  return `${[...parts, ...listed].join('\n\n')}\n`
}

const atRoot = (path: string, { type, path: mounted, description }: MountRecord): readonly string[] => [
  '## DESCRIPTION',
  `\`${path}\`: the engine \`${type}\` at \`${mounted}\`.${description && ` ${oneLine(description)}`}`,
]

function atPath(path: string, found: readonly AnyOperation[]): readonly string[] {
  const routes = [...new Set(found.map((op) => op.path))].map((route) => `\`${route.slice(1)}\``)
  const parameters = new Map(found.flatMap((op) => Object.entries(wireFields(op))))
  const listed = [...parameters].map(
    ([name, field]) =>
      `\`${name}\` (${String(field.schema['type'] ?? 'any')}${field.required ? ', required' : ''}${field.deprecated ? ', deprecated' : ''})\n: ${field.description}`,
  )
  return [
    `Request: \`${path}\`\\\nMatching route: ${routes.join(', ')}`,
    ...(listed.length > 0 ? ['## PARAMETERS', ...listed] : []),
    '## DESCRIPTION',
    found.map(sentence).join('\n'),
  ]
}

/** Returns a section for each path template, sorted by template. */
function pathsOf(operations: readonly AnyOperation[]): string {
  const paths = [...new Set(operations.map(({ path }) => path))].sort()
  const block = (path: string) => {
    const own = operations.filter((op) => op.path === path)
    return [`\`${path.slice(1) || '/'}\`\n`, ...own.map(sentence)].join('\n')
  }
  return paths.map(block).join('\n\n')
}

const sentence = ({ verb, summary, sudo }: AnyOperation): string => `- ${verb}: ${summary}${sudo ? ' Needs `sudo`.' : ''}`

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ')
