/** `strongroom/prometheus`: the metrics of a kernel as text for Prometheus. */
export { type MetricsOptions, type PrometheusMetrics, prometheusMetrics } from './prometheus-metrics.ts'
