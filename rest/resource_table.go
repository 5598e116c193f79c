package rest

import "strings"

// Builtin returns the resources of the package with their kinds, short
// names, verbs and categories, as discovery of a plain 1.37 server shows them.
// The result is the caller's own. Custom resources and what a particular server
// serves come from Discover.
func Builtin() []APIResource {
	rows := []builtinRow{
		{ComponentStatuses, "ComponentStatus", "cs", ""},
		{ConfigMaps, "ConfigMap", "cm", ""},
		{Endpoints, "Endpoints", "ep", ""},
		{Events, "Event", "ev", ""},
		{LimitRanges, "LimitRange", "limits", ""},
		{Namespaces, "Namespace", "ns", ""},
		{Nodes, "Node", "no", ""},
		{PersistentVolumeClaims, "PersistentVolumeClaim", "pvc", ""},
		{PersistentVolumes, "PersistentVolume", "pv", ""},
		{Pods, "Pod", "po", "all"},
		{PodTemplates, "PodTemplate", "", ""},
		{ReplicationControllers, "ReplicationController", "rc", "all"},
		{ResourceQuotas, "ResourceQuota", "quota", ""},
		{Secrets, "Secret", "", ""},
		{ServiceAccounts, "ServiceAccount", "sa", ""},
		{Services, "Service", "svc", "all"},
		{MutatingAdmissionPolicies, "MutatingAdmissionPolicy", "", "api-extensions"},
		{MutatingAdmissionPolicyBindings, "MutatingAdmissionPolicyBinding", "", "api-extensions"},
		{MutatingWebhookConfigurations, "MutatingWebhookConfiguration", "", "api-extensions"},
		{ValidatingAdmissionPolicies, "ValidatingAdmissionPolicy", "", "api-extensions"},
		{ValidatingAdmissionPolicyBindings, "ValidatingAdmissionPolicyBinding", "", "api-extensions"},
		{ValidatingWebhookConfigurations, "ValidatingWebhookConfiguration", "", "api-extensions"},
		{CustomResourceDefinitions, "CustomResourceDefinition", "crd crds", "api-extensions"},
		{APIServices, "APIService", "", "api-extensions"},
		{ControllerRevisions, "ControllerRevision", "", ""},
		{DaemonSets, "DaemonSet", "ds", "all"},
		{Deployments, "Deployment", "deploy", "all"},
		{ReplicaSets, "ReplicaSet", "rs", "all"},
		{StatefulSets, "StatefulSet", "sts", "all"},
		{HorizontalPodAutoscalers, "HorizontalPodAutoscaler", "hpa", "all"},
		{HorizontalPodAutoscalersV1, "HorizontalPodAutoscaler", "hpa", "all"},
		{CronJobs, "CronJob", "cj", "all"},
		{Jobs, "Job", "", "all"},
		{CertificateSigningRequests, "CertificateSigningRequest", "csr", ""},
		{ClusterTrustBundles, "ClusterTrustBundle", "", ""},
		{PodCertificateRequests, "PodCertificateRequest", "", ""},
		{Leases, "Lease", "", ""},
		{EndpointSlices, "EndpointSlice", "", ""},
		{EventsK8sIO, "Event", "ev", ""},
		{FlowSchemas, "FlowSchema", "", ""},
		{PriorityLevelConfigurations, "PriorityLevelConfiguration", "", ""},
		{IngressClasses, "IngressClass", "", ""},
		{Ingresses, "Ingress", "ing", ""},
		{IPAddresses, "IPAddress", "ip", ""},
		{NetworkPolicies, "NetworkPolicy", "netpol", ""},
		{ServiceCIDRs, "ServiceCIDR", "", ""},
		{RuntimeClasses, "RuntimeClass", "", ""},
		{PodDisruptionBudgets, "PodDisruptionBudget", "pdb", ""},
		{ClusterRoleBindings, "ClusterRoleBinding", "", ""},
		{ClusterRoles, "ClusterRole", "", ""},
		{RoleBindings, "RoleBinding", "", ""},
		{Roles, "Role", "", ""},
		{DeviceClasses, "DeviceClass", "", ""},
		{DeviceTaintRules, "DeviceTaintRule", "", ""},
		{ResourceClaims, "ResourceClaim", "", ""},
		{ResourceClaimTemplates, "ResourceClaimTemplate", "", ""},
		{ResourceSlices, "ResourceSlice", "", ""},
		{PriorityClasses, "PriorityClass", "pc", ""},
		{CSIDrivers, "CSIDriver", "", ""},
		{CSINodes, "CSINode", "", ""},
		{CSIStorageCapacities, "CSIStorageCapacity", "", ""},
		{StorageClasses, "StorageClass", "sc", ""},
		{VolumeAttachments, "VolumeAttachment", "", ""},
		{VolumeAttributesClasses, "VolumeAttributesClass", "vac", ""},
		{StorageVersionMigrations, "StorageVersionMigration", "", ""},
	}
	out := make([]APIResource, len(rows))
	for i, row := range rows {
		out[i] = row.apiResource()
	}
	return out
}

// builtinRow is one line of the table; the rest follows from it.
type builtinRow struct {
	Resource
	kind                   string
	shortNames, categories string // separated by blanks
}

func (row builtinRow) apiResource() APIResource {
	return APIResource{
		Resource:   row.Resource,
		Kind:       row.kind,
		Singular:   strings.ToLower(row.kind),
		ShortNames: strings.Fields(row.shortNames),
		Categories: strings.Fields(row.categories),
		Verbs:      builtinVerbs(row.Resource),
	}
}

// builtinVerbs knows the two resources that do not offer everything.
func builtinVerbs(r Resource) []string {
	switch r {
	case ComponentStatuses:
		return []string{"get", "list"}
	case Namespaces:
		return []string{"create", "delete", "get", "list", "patch", "update", "watch"}
	}
	return []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}
}
