package fakeapi

import "strings"

// kind is a Resource with what the server needs to know beside it.
type kind struct {
	Resource
	// custom resources print their keys sorted, kind and apiVersion in every
	// list item, and refuse an update without a resourceVersion.
	custom bool
	// counted kinds carry metadata.generation.
	counted bool
	// returned kinds answer DELETE with the object, others with a Status.
	returned bool
	// status says that there is a status subresource.
	status bool
	// empty is what follows the metadata in an object without content. The
	// object of a bookmark is such a one, encoded by the kind's Go type.
	empty string
	// fields may be named in a field selector.
	fields []selectable
}

// selectable is a field that selectors may name.
type selectable struct {
	label string
	path  []string
	// zero is the value of a field that the object does not have, as the Go
	// type behind it prints: "" or "false" or "0".
	zero string
}

// builtin is a row of the table of built-in resources. Flags: N namespaced,
// G counts generations, R DELETE returns the object, S has a status, A is in
// category "all".
type builtin struct {
	apiVersion, kind, resource, short, flags, empty, fields string
}

const podTemplate = `"template":{"metadata":{},"spec":{"containers":null}}`

// builtins are in the order of the real server's discovery: groups by
// priority, resources by name.
var builtins = []builtin{
	{"v1", "ConfigMap", "configmaps", "cm", "N", "", ""},
	{"v1", "Endpoints", "endpoints", "ep", "N", "", ""},
	{"v1", "Event", "events", "ev", "N", `"involvedObject":{},"source":{},"firstTimestamp":null,"lastTimestamp":null,"eventTime":null,"reportingComponent":"","reportingInstance":""`,
		"involvedObject.kind involvedObject.namespace involvedObject.name involvedObject.uid involvedObject.apiVersion involvedObject.resourceVersion involvedObject.fieldPath reason reportingComponent source=source.component type"},
	{"v1", "LimitRange", "limitranges", "limits", "N", `"spec":{"limits":null}`, ""},
	{"v1", "Namespace", "namespaces", "ns", "RS", `"spec":{},"status":{}`, "status.phase"},
	{"v1", "Node", "nodes", "no", "S", `"spec":{},"status":{"daemonEndpoints":{"kubeletEndpoint":{"Port":0}},"nodeInfo":{"machineID":"","systemUUID":"","bootID":"","kernelVersion":"","osImage":"","containerRuntimeVersion":"","kubeletVersion":"","kubeProxyVersion":"","operatingSystem":"","architecture":""}}`, "spec.unschedulable?false"},
	{"v1", "PersistentVolumeClaim", "persistentvolumeclaims", "pvc", "NRS", `"spec":{"resources":{}},"status":{}`, ""},
	{"v1", "PersistentVolume", "persistentvolumes", "pv", "RS", `"spec":{},"status":{}`, ""},
	{"v1", "Pod", "pods", "po", "NGRSA", `"spec":{"containers":null},"status":{}`,
		"spec.nodeName spec.host=spec.nodeName spec.restartPolicy spec.schedulerName spec.serviceAccountName spec.hostNetwork?false status.phase status.podIP status.nominatedNodeName"},
	{"v1", "PodTemplate", "podtemplates", "", "NR", podTemplate, ""},
	{"v1", "ReplicationController", "replicationcontrollers", "rc", "NGSA", `"spec":{},"status":{"replicas":0}`, "status.replicas?0"},
	{"v1", "ResourceQuota", "resourcequotas", "quota", "NRS", `"spec":{},"status":{}`, ""},
	{"v1", "Secret", "secrets", "", "N", "", "type"},
	{"v1", "ServiceAccount", "serviceaccounts", "sa", "NR", "", ""},
	{"v1", "Service", "services", "svc", "NRSA", `"spec":{},"status":{"loadBalancer":{}}`, "spec.clusterIP spec.type"},
	{"apps/v1", "ControllerRevision", "controllerrevisions", "", "N", `"data":null,"revision":0`, ""},
	{"apps/v1", "DaemonSet", "daemonsets", "ds", "NGSA", `"spec":{"selector":null,` + podTemplate + `,"updateStrategy":{}},"status":{"currentNumberScheduled":0,"numberMisscheduled":0,"desiredNumberScheduled":0,"numberReady":0}`, ""},
	{"apps/v1", "Deployment", "deployments", "deploy", "NGSA", `"spec":{"selector":null,` + podTemplate + `,"strategy":{}},"status":{}`, ""},
	{"apps/v1", "ReplicaSet", "replicasets", "rs", "NGSA", `"spec":{"selector":null,` + podTemplate + `},"status":{"replicas":0}`, "status.replicas?0"},
	{"apps/v1", "StatefulSet", "statefulsets", "sts", "NGSA", `"spec":{"selector":null,` + podTemplate + `,"serviceName":"","updateStrategy":{}},"status":{"replicas":0,"availableReplicas":0}`, ""},
	{"autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", "hpa", "NSA", `"spec":{"scaleTargetRef":{"kind":"","name":""},"maxReplicas":0},"status":{"desiredReplicas":0,"currentMetrics":null}`, ""},
	{"batch/v1", "CronJob", "cronjobs", "cj", "NGSA", `"spec":{"schedule":"","jobTemplate":{"metadata":{},"spec":{` + podTemplate + `}}},"status":{}`, ""},
	{"batch/v1", "Job", "jobs", "", "NGSA", `"spec":{` + podTemplate + `},"status":{}`, "status.successful=status.succeeded?0"},
	{"certificates.k8s.io/v1", "CertificateSigningRequest", "certificatesigningrequests", "csr", "S", `"spec":{"request":null,"signerName":""},"status":{}`, "spec.signerName"},
	{"networking.k8s.io/v1", "IngressClass", "ingressclasses", "", "G", `"spec":{}`, ""},
	{"networking.k8s.io/v1", "Ingress", "ingresses", "ing", "NGS", `"spec":{},"status":{"loadBalancer":{}}`, ""},
	{"networking.k8s.io/v1", "IPAddress", "ipaddresses", "ip", "", `"spec":{}`, ""},
	{"networking.k8s.io/v1", "NetworkPolicy", "networkpolicies", "netpol", "NG", `"spec":{"podSelector":{}}`, ""},
	{"networking.k8s.io/v1", "ServiceCIDR", "servicecidrs", "", "S", `"spec":{},"status":{}`, ""},
	{"policy/v1", "PodDisruptionBudget", "poddisruptionbudgets", "pdb", "NGS", `"spec":{},"status":{"disruptionsAllowed":0,"currentHealthy":0,"desiredHealthy":0,"expectedPods":0}`, ""},
	{"rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "clusterrolebindings", "", "", `"roleRef":{"apiGroup":"","kind":"","name":""}`, ""},
	{"rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles", "", "", `"rules":null`, ""},
	{"rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings", "", "N", `"roleRef":{"apiGroup":"","kind":"","name":""}`, ""},
	{"rbac.authorization.k8s.io/v1", "Role", "roles", "", "N", `"rules":null`, ""},
	{"storage.k8s.io/v1", "CSIDriver", "csidrivers", "", "R", `"spec":{}`, ""},
	{"storage.k8s.io/v1", "CSINode", "csinodes", "", "R", `"spec":{"drivers":null},"status":{}`, ""},
	{"storage.k8s.io/v1", "CSIStorageCapacity", "csistoragecapacities", "", "N", `"storageClassName":""`, ""},
	{"storage.k8s.io/v1", "StorageClass", "storageclasses", "sc", "R", `"provisioner":""`, ""},
	{"storage.k8s.io/v1", "VolumeAttachment", "volumeattachments", "", "RS", `"spec":{"attacher":"","source":{},"nodeName":""},"status":{"attached":false}`, ""},
	{"admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "mutatingwebhookconfigurations", "", "G", "", ""},
	{"admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "validatingwebhookconfigurations", "", "G", "", ""},
	{"apiextensions.k8s.io/v1", "CustomResourceDefinition", "customresourcedefinitions", "crd crds", "GRS", `"spec":{"group":"","names":{"plural":"","kind":""},"scope":"","versions":null},"status":{"conditions":null,"acceptedNames":{"plural":"","kind":""},"storedVersions":null}`, ""},
	{"scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", "pc", "", `"value":0`, ""},
	{"coordination.k8s.io/v1", "Lease", "leases", "", "N", `"spec":{}`, ""},
	{"node.k8s.io/v1", "RuntimeClass", "runtimeclasses", "", "", `"handler":""`, ""},
	{"discovery.k8s.io/v1", "EndpointSlice", "endpointslices", "", "NG", `"addressType":"","endpoints":null,"ports":null`, ""},
	{"flowcontrol.apiserver.k8s.io/v1", "FlowSchema", "flowschemas", "", "S", `"spec":{"priorityLevelConfiguration":{"name":""},"matchingPrecedence":0},"status":{}`, ""},
	{"flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration", "prioritylevelconfigurations", "", "S", `"spec":{"type":""},"status":{}`, ""},
	{"resource.k8s.io/v1", "DeviceClass", "deviceclasses", "", "GR", `"spec":{}`, ""},
	{"resource.k8s.io/v1", "ResourceClaim", "resourceclaims", "", "NRS", `"spec":{"devices":{"requests":null}},"status":{}`, ""},
	{"resource.k8s.io/v1", "ResourceClaimTemplate", "resourceclaimtemplates", "", "NR", `"spec":{"metadata":{},"spec":{"devices":{"requests":null}}}`, ""},
	{"resource.k8s.io/v1", "ResourceSlice", "resourceslices", "", "GR", `"spec":{"driver":"","pool":{"name":"","generation":0,"resourceSliceCount":0}}`, "spec.nodeName spec.driver"},
}

func (b builtin) build() *kind {
	group, version, found := strings.Cut(b.apiVersion, "/")
	if !found {
		group, version = "", b.apiVersion
	}
	k := &kind{
		Resource: Resource{
			Group: group, Version: version, Resource: b.resource, Kind: b.kind,
			Singular: strings.ToLower(b.kind), Namespaced: strings.Contains(b.flags, "N"),
			ShortNames: strings.Fields(b.short),
		},
		counted:  strings.Contains(b.flags, "G"),
		returned: strings.Contains(b.flags, "R"),
		status:   strings.Contains(b.flags, "S"),
		empty:    b.empty,
	}
	if strings.Contains(b.flags, "A") {
		k.Categories = []string{"all"}
	}
	for field := range strings.FieldsSeq(b.fields) {
		k.fields = append(k.fields, parseSelectable(field))
	}
	return k
}

// parseSelectable reads "label", "label=path" and "label?zero".
func parseSelectable(s string) selectable {
	s, zero, _ := strings.Cut(s, "?")
	label, path, found := strings.Cut(s, "=")
	if !found {
		path = label
	}
	return selectable{label: label, path: strings.Split(path, "."), zero: zero}
}

func newCustom(r Resource) *kind {
	if r.Singular == "" {
		r.Singular = strings.ToLower(r.Kind)
	}
	k := &kind{Resource: r, custom: true, counted: true, status: r.Status}
	for _, path := range r.SelectableFields {
		k.fields = append(k.fields, parseSelectable(strings.TrimPrefix(path, ".")))
	}
	return k
}
