/** Reads the text format 0.0.4 of Prometheus, and refuses what the format does not allow. */
interface MetricSample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

interface MetricFamily {
  readonly type: string
  readonly help: string
  readonly samples: MetricSample[]
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\[\\\\"n])*"'
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*)\\})? (\\+Inf|[-+0-9.e]+)$`)
const HEAD = new RegExp(`^# (HELP|TYPE) (${NAME}) (.+)$`)

/** The suffixes of the samples of a type. */
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  counter: [''],
  gauge: [''],
  histogram: ['_bucket', '_sum', '_count'],
}

/** @throws Error for an invalid line, a family that is written twice or without its head, and a time series that is written twice. */
export function readMetrics(text: string): ReadonlyMap<string, MetricFamily> {
  if (!text.endsWith('\n')) throw new Error('the last line has no line break')
  const families = new Map<string, MetricFamily>()
  const series = new Set<string>()
  let help: readonly [name: string, text: string] | undefined
  let current: readonly [name: string, family: MetricFamily] | undefined
  for (const line of text.slice(0, -1).split('\n')) {
    const [, keyword, of = '', rest = ''] = HEAD.exec(line) ?? []
    if (keyword === 'HELP') help = [of, rest]
    else if (keyword === 'TYPE') {
      if (families.has(of) || help?.[0] !== of || !SUFFIXES[rest]) throw new Error(`invalid head: ${line}`)
      current = [of, { type: rest, help: help[1], samples: [] }]
      families.set(...current)
    } else {
      const [, name = '', labels = '', value] = SAMPLE.exec(line) ?? []
      if (!current || !value || !SUFFIXES[current[1].type]?.some((suffix) => name === current?.[0] + suffix))
        throw new Error(`invalid line: ${line}`)
      if (series.has(name + labels)) throw new Error(`written twice: ${line}`)
      series.add(name + labels)
      current[1].samples.push({
        name,
        labels: labelsOf(labels),
        value: value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value),
      })
    }
  }
  return families
}

const ESCAPES: Readonly<Record<string, string>> = { '\\\\': '\\', '\\"': '"', '\\n': '\n' }

function labelsOf(text: string): Readonly<Record<string, string>> {
  const pairs = [...text.matchAll(new RegExp(LABEL, 'g'))].map(([pair]) => {
    const at = pair.indexOf('=')
    return [pair.slice(0, at), pair.slice(at + 2, -1).replace(/\\[\\"n]/g, (found) => ESCAPES[found] as string)] as const
  })
  if (new Set(pairs.map(([name]) => name)).size !== pairs.length) throw new Error(`a label is written twice: ${text}`)
  return Object.fromEntries(pairs)
}

/** The value of the sample with exactly these labels. */
export function sampleValue(
  found: ReadonlyMap<string, MetricFamily>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const samples = [...found.values()].flatMap((family) => family.samples).filter((sample) => sample.name === name)
  const wanted = JSON.stringify(Object.entries(labels).sort())
  return samples.find((sample) => JSON.stringify(Object.entries(sample.labels).sort()) === wanted)?.value
}
