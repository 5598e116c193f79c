package rest

// The generally available built-in resources of Kubernetes 1.37 that can be
// listed. Where a group serves two GA versions, the plain name is the preferred
// one. HorizontalPodAutoscalers is autoscaling/v2; Events is the core group's.
var (
	// v1
	ComponentStatuses      = Resource{Version: "v1", Resource: "componentstatuses"}
	ConfigMaps             = Resource{Version: "v1", Resource: "configmaps", Namespaced: true}
	Endpoints              = Resource{Version: "v1", Resource: "endpoints", Namespaced: true}
	Events                 = Resource{Version: "v1", Resource: "events", Namespaced: true}
	LimitRanges            = Resource{Version: "v1", Resource: "limitranges", Namespaced: true}
	Namespaces             = Resource{Version: "v1", Resource: "namespaces"}
	Nodes                  = Resource{Version: "v1", Resource: "nodes"}
	PersistentVolumeClaims = Resource{Version: "v1", Resource: "persistentvolumeclaims", Namespaced: true}
	PersistentVolumes      = Resource{Version: "v1", Resource: "persistentvolumes"}
	Pods                   = Resource{Version: "v1", Resource: "pods", Namespaced: true}
	PodTemplates           = Resource{Version: "v1", Resource: "podtemplates", Namespaced: true}
	ReplicationControllers = Resource{Version: "v1", Resource: "replicationcontrollers", Namespaced: true}
	ResourceQuotas         = Resource{Version: "v1", Resource: "resourcequotas", Namespaced: true}
	Secrets                = Resource{Version: "v1", Resource: "secrets", Namespaced: true}
	ServiceAccounts        = Resource{Version: "v1", Resource: "serviceaccounts", Namespaced: true}
	Services               = Resource{Version: "v1", Resource: "services", Namespaced: true}

	// admissionregistration.k8s.io/v1
	MutatingAdmissionPolicies         = Resource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "mutatingadmissionpolicies"}
	MutatingAdmissionPolicyBindings   = Resource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "mutatingadmissionpolicybindings"}
	MutatingWebhookConfigurations     = Resource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "mutatingwebhookconfigurations"}
	ValidatingAdmissionPolicies       = Resource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicies"}
	ValidatingAdmissionPolicyBindings = Resource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicybindings"}
	ValidatingWebhookConfigurations   = Resource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingwebhookconfigurations"}

	// apiextensions.k8s.io/v1
	CustomResourceDefinitions = Resource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

	// apiregistration.k8s.io/v1
	APIServices = Resource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}

	// apps/v1
	ControllerRevisions = Resource{Group: "apps", Version: "v1", Resource: "controllerrevisions", Namespaced: true}
	DaemonSets          = Resource{Group: "apps", Version: "v1", Resource: "daemonsets", Namespaced: true}
	Deployments         = Resource{Group: "apps", Version: "v1", Resource: "deployments", Namespaced: true}
	ReplicaSets         = Resource{Group: "apps", Version: "v1", Resource: "replicasets", Namespaced: true}
	StatefulSets        = Resource{Group: "apps", Version: "v1", Resource: "statefulsets", Namespaced: true}

	// autoscaling/v1
	HorizontalPodAutoscalersV1 = Resource{Group: "autoscaling", Version: "v1", Resource: "horizontalpodautoscalers", Namespaced: true}

	// autoscaling/v2
	HorizontalPodAutoscalers = Resource{Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers", Namespaced: true}

	// batch/v1
	CronJobs = Resource{Group: "batch", Version: "v1", Resource: "cronjobs", Namespaced: true}
	Jobs     = Resource{Group: "batch", Version: "v1", Resource: "jobs", Namespaced: true}

	// certificates.k8s.io/v1
	CertificateSigningRequests = Resource{Group: "certificates.k8s.io", Version: "v1", Resource: "certificatesigningrequests"}
	ClusterTrustBundles        = Resource{Group: "certificates.k8s.io", Version: "v1", Resource: "clustertrustbundles"}
	PodCertificateRequests     = Resource{Group: "certificates.k8s.io", Version: "v1", Resource: "podcertificaterequests", Namespaced: true}

	// coordination.k8s.io/v1
	Leases = Resource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases", Namespaced: true}

	// discovery.k8s.io/v1
	EndpointSlices = Resource{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices", Namespaced: true}

	// events.k8s.io/v1
	EventsK8sIO = Resource{Group: "events.k8s.io", Version: "v1", Resource: "events", Namespaced: true}

	// flowcontrol.apiserver.k8s.io/v1
	FlowSchemas                 = Resource{Group: "flowcontrol.apiserver.k8s.io", Version: "v1", Resource: "flowschemas"}
	PriorityLevelConfigurations = Resource{Group: "flowcontrol.apiserver.k8s.io", Version: "v1", Resource: "prioritylevelconfigurations"}

	// networking.k8s.io/v1
	IngressClasses  = Resource{Group: "networking.k8s.io", Version: "v1", Resource: "ingressclasses"}
	Ingresses       = Resource{Group: "networking.k8s.io", Version: "v1", Resource: "ingresses", Namespaced: true}
	IPAddresses     = Resource{Group: "networking.k8s.io", Version: "v1", Resource: "ipaddresses"}
	NetworkPolicies = Resource{Group: "networking.k8s.io", Version: "v1", Resource: "networkpolicies", Namespaced: true}
	ServiceCIDRs    = Resource{Group: "networking.k8s.io", Version: "v1", Resource: "servicecidrs"}

	// node.k8s.io/v1
	RuntimeClasses = Resource{Group: "node.k8s.io", Version: "v1", Resource: "runtimeclasses"}

	// policy/v1
	PodDisruptionBudgets = Resource{Group: "policy", Version: "v1", Resource: "poddisruptionbudgets", Namespaced: true}

	// rbac.authorization.k8s.io/v1
	ClusterRoleBindings = Resource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterrolebindings"}
	ClusterRoles        = Resource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"}
	RoleBindings        = Resource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "rolebindings", Namespaced: true}
	Roles               = Resource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles", Namespaced: true}

	// resource.k8s.io/v1
	DeviceClasses          = Resource{Group: "resource.k8s.io", Version: "v1", Resource: "deviceclasses"}
	DeviceTaintRules       = Resource{Group: "resource.k8s.io", Version: "v1", Resource: "devicetaintrules"}
	ResourceClaims         = Resource{Group: "resource.k8s.io", Version: "v1", Resource: "resourceclaims", Namespaced: true}
	ResourceClaimTemplates = Resource{Group: "resource.k8s.io", Version: "v1", Resource: "resourceclaimtemplates", Namespaced: true}
	ResourceSlices         = Resource{Group: "resource.k8s.io", Version: "v1", Resource: "resourceslices"}

	// scheduling.k8s.io/v1
	PriorityClasses = Resource{Group: "scheduling.k8s.io", Version: "v1", Resource: "priorityclasses"}

	// storage.k8s.io/v1
	CSIDrivers              = Resource{Group: "storage.k8s.io", Version: "v1", Resource: "csidrivers"}
	CSINodes                = Resource{Group: "storage.k8s.io", Version: "v1", Resource: "csinodes"}
	CSIStorageCapacities    = Resource{Group: "storage.k8s.io", Version: "v1", Resource: "csistoragecapacities", Namespaced: true}
	StorageClasses          = Resource{Group: "storage.k8s.io", Version: "v1", Resource: "storageclasses"}
	VolumeAttachments       = Resource{Group: "storage.k8s.io", Version: "v1", Resource: "volumeattachments"}
	VolumeAttributesClasses = Resource{Group: "storage.k8s.io", Version: "v1", Resource: "volumeattributesclasses"}

	// storagemigration.k8s.io/v1
	StorageVersionMigrations = Resource{Group: "storagemigration.k8s.io", Version: "v1", Resource: "storageversionmigrations"}
)
