{{/* What pods of both kinds, and the one that makes the first operator, have in common. Given: the chart's own context. */}}

{{- define "querent.labels" -}}
app.kubernetes.io/name: querent
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "querent.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "querent.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "querent.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "querent.environment" -}}
- { name: QUERENT_DATA, value: /var/lib/querent }
- { name: XDG_CACHE_HOME, value: /tmp/cache }
- { name: QUERENT_BASE_URL, value: {{ .Values.baseUrl | quote }} }
- { name: QUERENT_AUTH_URL, value: {{ .Values.authUrl | quote }} }
- { name: QUERENT_ENGINE, value: {{ join "," .Values.engine.nodes | quote }} }
{{- if .Values.engine.ca.configMapName }}
- { name: QUERENT_ENGINE_CA, value: /etc/querent/{{ .Values.engine.ca.key }} }
{{- end }}
{{- with .Values.trustedProxy }}
- { name: QUERENT_TRUSTED_PROXY, value: {{ join "," . | quote }} }
{{- end }}
- { name: QUERENT_DRAIN_SECONDS, value: {{ .Values.drainSeconds | quote }} }
- { name: QUERENT_SHUTDOWN_SECONDS, value: {{ .Values.shutdownSeconds | quote }} }
{{- with .Values.metricsPort }}
- { name: QUERENT_METRICS_PORT, value: {{ . | quote }} }
- { name: QUERENT_METRICS_HOST, value: 0.0.0.0 }
{{- end }}
{{- range $name, $value := .Values.settings }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}

{{/* Everything that is kept is in PostgreSQL and OpenSearch: these folders may be lost. */}}
{{- define "querent.volumes" -}}
- name: data
  emptyDir: { sizeLimit: 1Gi }
- name: temporary
  emptyDir: { sizeLimit: 1Gi }
{{- if .Values.engine.ca.configMapName }}
- name: engine-ca
  configMap: { name: {{ .Values.engine.ca.configMapName }} }
{{- end }}
{{- end }}

{{- define "querent.mounts" -}}
- { name: data, mountPath: /var/lib/querent }
- { name: temporary, mountPath: /tmp }
{{- if .Values.engine.ca.configMapName }}
- { name: engine-ca, mountPath: /etc/querent, readOnly: true }
{{- end }}
{{- end }}
